package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// writeTar writes files below a folder. Nothing of this machine is in it: no owners, no times but the one given.
func writeTar(path, folder string, files []file, date time.Time) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	squeezed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(squeezed)
	for _, f := range files {
		head := tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Size: int64(len(f.data)),
			Mode: int64(f.mode), ModTime: date, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(&head); err != nil {
			return err
		}
		if _, err := archive.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), squeezed.Close())
}

func writeZip(path, folder string, files []file, date time.Time) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	archive := zip.NewWriter(out)
	for _, f := range files {
		head := zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: date}
		head.SetMode(f.mode)
		to, err := archive.CreateHeader(&head)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.data); err != nil {
			return err
		}
	}
	return archive.Close()
}

// checksums writes SHA256SUMS over all that is there, in the form of sha256sum.
func (r *release) checksums() error {
	all, err := os.ReadDir(r.to)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, one := range all {
		sum, err := digest(filepath.Join(r.to, one.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s  %s\n", sum, one.Name())
	}
	return os.WriteFile(filepath.Join(r.to, "SHA256SUMS"), []byte(list.String()), 0o644)
}

func digest(path string) (string, error) {
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}
