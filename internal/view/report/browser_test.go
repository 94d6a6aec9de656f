package report

import (
	"context"
	"fmt"
	"html/template"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// browser runs headless Chromium with an empty profile and everything that the web could answer led to one recorder.
type browser struct {
	t       *testing.T
	program string
	web     *recorder
}

// recorder is the web: it notes what is asked for.
type recorder struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, asked *http.Request) {
	r.mu.Lock()
	r.asked = append(r.asked, asked.Method+" "+asked.Host+asked.URL.Path)
	r.mu.Unlock()
	http.NotFound(w, asked)
}

// of lists what was asked of the hosts that hostile texts name; what the browser wants for itself is its own affair.
func (r *recorder) of(host string) (found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.asked {
		if strings.Contains(a, host) {
			found = append(found, a)
		}
	}
	return found
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	b := &browser{t: t, web: &recorder{}}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil && b.program == "" {
			b.program = path
		}
	}
	if b.program == "" {
		t.Skip("no Chromium in PATH: pages are not looked at in a browser")
	}
	b.web.Server = httptest.NewServer(b.web)
	t.Cleanup(b.web.Close)
	return b
}

// scripts says whether the browser runs any.
type scripts string

const (
	allowed   scripts = `{}`
	forbidden scripts = `{"profile":{"default_content_setting_values":{"javascript":2}}}`
)

// run shows a page and returns what the browser printed.
func (b *browser) run(html string, s scripts, flags ...string) string {
	b.t.Helper()
	folder := b.t.TempDir()
	file := filepath.Join(folder, "page.html")
	for name, content := range map[string]string{file: html,
		filepath.Join(folder, "profile", "Default", "Preferences"): string(s)} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(b.t.Context(), time.Minute)
	defer stop()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + filepath.Join(folder, "profile"),
		"--proxy-server=" + b.web.URL, "--proxy-bypass-list=<-loopback>",
	}, flags...)
	command := exec.CommandContext(ctx, b.program, append(args, "file://"+file)...)
	command.WaitDelay = 5 * time.Second
	command.Env = append(os.Environ(), "HOME="+folder)
	var complaints strings.Builder
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", b.program, err, complaints.String())
	}
	return string(out)
}

// TestBrowserRunsNothing opens the worst page with scripts allowed and forbidden: it is the same
// page, and asks nobody for anything.
func TestBrowserRunsNothing(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	html := page(t, hostileSample())
	with, without := b.run(html, allowed, "--dump-dom"), b.run(html, forbidden, "--dump-dom")
	if with != without {
		t.Error("the page with scripts is another than without")
	}
	for _, dom := range []string{with, without} {
		if !strings.Contains(dom, "</footer>") {
			t.Fatalf("the page is not there: %.200q", dom)
		}
		if strings.Contains(dom, "<title>owned") || strings.Contains(dom, "<script") || strings.Contains(dom, "<img") {
			t.Error("what an agent wrote became a part of the page")
		}
	}
	if asked := b.web.of("evil.example"); len(asked) > 0 {
		t.Errorf("the page asked for %q", asked)
	}
}

// TestBrowserWouldRun shows that the test above can fail: the same texts, raw and without the policy, run and load.
func TestBrowserWouldRun(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	raw := `<!DOCTYPE html><title>raw</title><img src=http://evil.example/a.png><script>document.title="owned"</script>`
	if dom := b.run(raw, forbidden, "--dump-dom"); !strings.Contains(dom, "<title>raw") {
		t.Errorf("a script ran although scripts are forbidden: %q", dom)
	}
	if dom := b.run(raw, allowed, "--dump-dom"); !strings.Contains(dom, "<title>owned") {
		t.Errorf("a script did not run: %q", dom)
	}
	if len(b.web.of("evil.example")) == 0 {
		t.Error("a picture was not asked for")
	}
	policy := regexp.MustCompile(`<meta http-equiv[^>]*>`).FindString(page(t, sample()))
	guarded := strings.Replace(raw, "<title>", policy+"<title>", 1)
	guarded = strings.ReplaceAll(guarded, "evil.example", "other.example")
	if dom := b.run(guarded, allowed, "--dump-dom"); strings.Contains(dom, "<title>owned") ||
		len(b.web.of("other.example")) > 0 {
		t.Error("the policy alone holds neither scripts nor pictures")
	}
}

// TestBrowserShows takes pictures of the page without scripts, of a telephone in light and of a
// large screen in dark colours. They are kept in the folder that $REPORT_PICTURES names.
func TestBrowserShows(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	html := page(t, sample())
	for colours, width := range map[string]int{"light": 400, "dark": 1600} {
		file := filepath.Join(t.TempDir(), colours+".png")
		if keep := os.Getenv("REPORT_PICTURES"); keep != "" {
			file = filepath.Join(keep, colours+".png")
		}
		scheme := map[string]string{"light": "1", "dark": "0"}[colours]
		b.run(html, forbidden, "--blink-settings=preferredColorScheme="+scheme,
			fmt.Sprintf("--window-size=%d,3000", width), "--screenshot="+file)
		shown(t, file, image.Pt(width, 3000), colours)
	}
}

// shown refuses a picture that is blank, has another size, or has the other colours.
func shown(t *testing.T, file string, size image.Point, colours string) {
	t.Helper()
	data, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	picture, err := png.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := picture.Bounds().Size(); got != size {
		t.Fatalf("the picture has %v, want %v", got, size)
	}
	count, rows := map[[3]uint32]int{}, 0
	for y := range size.Y {
		before := len(count)
		first := [3]uint32{}
		mixed := false
		for x := range size.X {
			r, g, b, _ := picture.At(x, y).RGBA()
			c := [3]uint32{r, g, b}
			count[c]++
			if x == 0 {
				first = c
			}
			mixed = mixed || c != first
		}
		if mixed || len(count) > before+1 {
			rows++
		}
	}
	most, ground := 0, [3]uint32{}
	for c, n := range count {
		if n > most {
			most, ground = n, c
		}
	}
	if len(count) < 50 || rows < size.Y/3 {
		t.Errorf("the picture has %d colours, and %d of %d rows show something", len(count), rows, size.Y)
	}
	if dark := ground[0] < 0x8000; dark != (colours == "dark") {
		t.Errorf("the ground is %x in %s colours", ground, colours)
	}
}

// TestBrowserFits measures, by a script that no real page has, that nothing is wider than the
// screen, whatever agents call themselves.
func TestBrowserFits(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	inner := regexp.MustCompile(`<meta http-equiv[^>]*>`).ReplaceAllString(page(t, hostileSample()), "") +
		"<script>parent.document.title += ' ' + document.documentElement.scrollWidth + ' of ' + innerWidth + " +
		"';'</script>"
	outer := "<!DOCTYPE html><title>widths</title>"
	for _, width := range []int{400, 1600} {
		outer += fmt.Sprintf(`<iframe width="%d" height="900" style="border:0" srcdoc="%s"></iframe>`, width,
			template.HTMLEscapeString(inner))
	}
	dom := b.run(outer, allowed, "--dump-dom")
	for _, want := range []string{" 400 of 400;", " 1600 of 1600;"} {
		if title, _, _ := strings.Cut(dom, "</title>"); !strings.Contains(title, want) {
			t.Errorf("widths are %.200q, without %q", title[strings.LastIndex(title, ">")+1:], want)
		}
	}
}
