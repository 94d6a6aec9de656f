package scope_test

import (
	"errors"
	"fmt"
	"log"

	"delegate/scope"
)

func ExampleNew() {
	s, err := scope.New(scope.Config{
		Allowed:   []string{"src/limit/**", "docs/{limits,rates}.md"},
		Forbidden: []string{"**/*_generated.go"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range []string{"src/limit/bucket.go", "docs/rates.md", "src/limit/api_generated.go", "src/main.go",
		".git/config"} {
		verdict := s.Check(path)
		fmt.Println(path, verdict.Allowed, verdict)
	}
	// Output:
	// src/limit/bucket.go true allowed by "src/limit/**"
	// docs/rates.md true allowed by "docs/{limits,rates}.md"
	// src/limit/api_generated.go false forbidden by "**/*_generated.go"
	// src/main.go false outside the scope (allowed: src/limit/**, docs/{limits,rates}.md)
	// .git/config false always forbidden by ".git/**"
}

func ExampleNew_faults() {
	_, err := scope.New(scope.Config{Allowed: []string{"src/{limit}/**", "**"}})
	var faults *scope.FaultsError
	if errors.As(err, &faults) {
		for _, f := range faults.Faults {
			fmt.Println(f.Pattern, "-", f.Reason)
		}
	}
	// Output:
	// src/{limit}/** - has braces around a single alternative; write {a,b} for a choice, "\{" for the character
	// ** - matches every path; name the folders or files of the task
}

func ExampleOverlap() {
	api, err := scope.New(scope.Config{Allowed: []string{"api/**"}, Forbidden: []string{"api/v1/**"}})
	if err != nil {
		log.Fatal(err)
	}
	handlers, err := scope.New(scope.Config{Allowed: []string{"**/*_handler.go"}})
	if err != nil {
		log.Fatal(err)
	}
	old, err := scope.New(scope.Config{Allowed: []string{"api/v1/*.go"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scope.Overlap(api, handlers)) // a path that both may write
	fmt.Println(scope.Overlap(api, old))
	// Output:
	// api/a_handler.go true
	//  false
}
