package conflict

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"delegate/conflict/code"
	"delegate/conflict/internal/languages"
)

func TestWebOfFiles(t *testing.T) {
	tests := []webCase{
		{"go", `
-- limit/bucket.go --
package limit

type Bucket struct{}

func fill() {}
-- limit/fill.go --
package limit

func use() { fill() }
-- http/mw.go --
package http

import "x.org/m/limit"

var _ limit.Bucket
var _ = limit.Missing
-- http/limit.go --
package http

func limit() {}
`, `
http/mw.go:5 limit/bucket.go:3 Bucket
limit/fill.go:3 limit/bucket.go:5 fill
`},
		{"python", `
-- app/__init__.py --
-- app/json.py --
def dumps(): pass
-- app/store.py --
import json
from .model import User
from app import views

def save():
    views.show()
    return json.dumps(1), User()
-- app/model.py --
class User: pass
-- app/views.py --
def show(): pass
`, `
app/store.py:2 app/model.py:1 User
app/store.py:3 app/__init__.py:0 
app/store.py:6 app/views.py:1 show
`},
		{"typescript", `
-- src/store/index.ts --
export default class Store {}
export const size = 1
-- src/main.ts --
import Store, { size } from "./store"
import * as all from "./store/index"
import "./side"
console.log(all.size)
-- src/side.ts --
export {}
`, `
src/main.ts:1 src/store/index.ts:1 Store
src/main.ts:1 src/store/index.ts:2 size
src/main.ts:3 src/side.ts:0 
`},
	}
	checkWeb(t, tests)
}

func TestWebOfPackages(t *testing.T) {
	tests := []webCase{
		{"java", `
-- src/a/Limit.java --
package a;
public class Limit {}
-- src/a/Other.java --
package a;
class Other { Limit l; }
-- src/b/Use.java --
package b;
import a.Limit;
class Use { Limit l; }
-- src/b/Star.java --
package b;
import a.*;
class Star { Limit l; }
`, `
src/a/Other.java:2 src/a/Limit.java:2 Limit
src/b/Star.java:3 src/a/Limit.java:2 Limit
src/b/Use.java:2 src/a/Limit.java:2 Limit
`},
		{"rust", `
-- src/lib.rs --
mod limit;
-- src/limit.rs --
pub struct Bucket;
-- src/http.rs --
use crate::limit::Bucket;
fn f() -> Bucket { Bucket }
`, `
src/http.rs:1 src/limit.rs:1 Bucket
`},
		{"c", `
-- limit.h --
int take(int n);
-- main.c --
#include "limit.h"
int main() { return take(1); }
`, `
main.c:2 limit.h:1 take
`},
	}
	checkWeb(t, tests)
}

// webCase is a tree and the links in it, each as FROM:LINE TO:LINE SYMBOL.
type webCase struct{ name, files, want string }

func checkWeb(t *testing.T, tests []webCase) {
	t.Helper()
	for _, tt := range tests {
		var w UseGraph
		for _, f := range txtar.Parse([]byte(tt.files)).Files {
			parsed, ok := languages.Parse(f.Name, f.Data)
			if !ok {
				t.Skipf("no grammar for %s in this build", f.Name)
			}
			importPath := ""
			if parsed.Language == code.Go {
				importPath = "x.org/m/" + strings.TrimSuffix(f.Name, f.Name[strings.LastIndexByte(f.Name, '/'):])
			}
			w.Add(f.Name, parsed, importPath)
		}
		var got []string
		for _, l := range w.Links() {
			got = append(got, fmt.Sprintf("%s:%d %s:%d %s", l.From, l.Line, l.To, l.At, l.Symbol))
		}
		slices.Sort(got)
		if want := strings.Split(strings.Trim(tt.want, "\n"), "\n"); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
