//go:build bench && linux

package record

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// person sits at the stage's terminal and does what a script says. What they see is filmed.
type person struct {
	stage  *stage
	screen *screen
	film   *film
	seen   int       // bytes of what was printed, up to where it was waited for
	looked time.Time // when the last look ended
}

// How a person's time goes by: on the picture only, for nothing here sleeps.
const (
	patience = 2 * time.Minute         // for anything that is waited for
	reading  = 2500 * time.Millisecond // before an answer
	entering = 400 * time.Millisecond  // between the last letter and Enter
)

// keyDelay is how long a letter takes: not always the same, and the same in every recording.
func keyDelay(n int) time.Duration { return time.Duration(45+n*37%50) * time.Millisecond }

// play goes through the script.
func (p *person) play(ctx context.Context, steps []step) error {
	for _, s := range steps {
		if err := p.do(ctx, s); err != nil {
			return fmt.Errorf("script, line %d: %w", s.line, err)
		}
		p.film.done(s.line)
	}
	return nil
}

func (p *person) do(ctx context.Context, s step) error {
	switch s.verb {
	case "title":
		p.film.title = s.text
		return nil
	case "run":
		return p.stage.offScreen(ctx, s.text)
	case "folder":
		return p.stage.enter(s.text)
	}
	if err := p.sit(ctx); err != nil {
		return err
	}
	switch s.verb {
	case "type":
		return p.types(s.text)
	case "key":
		return p.press(s.text)
	case "wait":
		if s.text == "" {
			return p.until(ctx, p.prompted)
		}
		return p.until(ctx, func() bool { return p.printed(s.text) })
	case "see":
		return p.until(ctx, func() bool { return p.sees(s.text) })
	case "answer":
		return p.answer(ctx, s.pairs)
	case "pause":
		p.film.hold(s.pause)
		return nil
	}
	return fmt.Errorf("no step is called %q", s.verb)
}

// sit starts the shell before the first step that needs it.
func (p *person) sit(ctx context.Context) error {
	if p.screen != nil {
		return nil
	}
	if err := p.stage.open(); err != nil {
		return err
	}
	p.screen, p.looked = newScreen(p.stage.tty), time.Now()
	return p.until(ctx, p.prompted)
}

// A burst of output is one picture: what comes with gaps shorter than quiet, but no more than burst of it.
const (
	quiet = 30 * time.Millisecond
	burst = 200 * time.Millisecond
)

// look waits at most for the given time, and films what the screen shows then. It answers whether anything came.
func (p *person) look(limit time.Duration) (came bool, err error) {
	for begun := time.Now(); ; limit = quiet {
		data, err := p.stage.read(limit)
		if err != nil {
			return came, err
		}
		if err := p.screen.feed(data); err != nil {
			return came, fmt.Errorf("show output: %w", err)
		}
		came = came || len(data) > 0
		if len(data) == 0 || time.Since(begun) > burst {
			break
		}
	}
	return came, nil
}

// watch is a look whose time the film takes over.
func (p *person) watch() error {
	came, err := p.look(200 * time.Millisecond)
	if err == nil && came {
		p.film.pass(time.Since(p.looked))
		p.film.take(p.screen.picture())
		p.looked = time.Now()
	}
	return err
}

// until watches until something is so.
func (p *person) until(ctx context.Context, so func() bool) error {
	for deadline := time.Now().Add(patience); !so(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("it did not come; the screen shows:\n%s", p.screen.picture())
		}
		if err := p.watch(); err != nil {
			return err
		}
	}
	return nil
}

// prompted says whether the shell asks for a command: its prompt is all that is in the cursor's row.
func (p *person) prompted() bool {
	now := p.screen.picture()
	return now.row >= 0 && now.column == 2 && now.text(now.row) == "$"
}

// printed says whether the text has come since the last key, and goes on behind it.
func (p *person) printed(text string) bool {
	at := strings.Index(p.screen.since(p.seen), text)
	if at >= 0 {
		p.seen = len(p.screen.printed)
	}
	return at >= 0
}

// sees says whether the text is in a row of the screen.
func (p *person) sees(text string) bool {
	now := p.screen.picture()
	for row := range now.rows {
		if strings.Contains(now.text(row), text) {
			return true
		}
	}
	return false
}

// types presses key after key and sees each on the screen.
func (p *person) types(text string) error {
	for n, letter := range []rune(text) {
		if err := p.send(string(letter), keyDelay(n)); err != nil {
			return err
		}
	}
	return nil
}

func (p *person) press(name string) error {
	sent, err := keyBytes(name)
	if err != nil {
		return err
	}
	return p.send(sent, entering)
}

// send types what takes a person that long, and films what the terminal answers with at once.
func (p *person) send(keys string, delay time.Duration) error {
	p.seen = len(p.screen.printed)
	if _, err := p.stage.tty.WriteString(keys); err != nil {
		return fmt.Errorf("type %q: %w", keys, err)
	}
	_, err := p.look(time.Second)
	p.film.hold(delay)
	p.film.take(p.screen.picture())
	p.looked = time.Now()
	return err
}

// answer answers questions until the shell asks for a command again.
func (p *person) answer(ctx context.Context, pairs []pair) error {
	for {
		question := ""
		err := p.until(ctx, func() bool {
			question = p.asked()
			return question != "" || p.prompted()
		})
		if err != nil || question == "" {
			return err
		}
		word, known := "", false
		for _, one := range pairs {
			if strings.Contains(question, one.question) {
				word, known = one.word, true
				break
			}
		}
		if !known {
			return fmt.Errorf("no answer is known to the question %q", question)
		}
		p.film.hold(reading)
		if err := p.types(word); err != nil {
			return err
		}
		before := p.screen.picture()
		if err := p.press("enter"); err != nil {
			return err
		}
		if err := p.until(ctx, func() bool { return !reflect.DeepEqual(before, p.screen.picture()) }); err != nil {
			return err
		}
	}
}

// untouched is how the list below a question begins its last row as long as nothing was typed.
const untouched = "Type an answer, then Enter."

// asked is the question that is open and untouched, "" for none.
// It is the row of the cursor, or the nearest one that begins like it above a list of answers that
// the cursor stands below.
func (p *person) asked() string {
	now := p.screen.picture()
	if now.row < 1 {
		return ""
	}
	if text := now.text(now.row); strings.HasPrefix(text, mark) {
		return text
	}
	if !strings.HasPrefix(now.text(now.row-1), untouched) {
		return ""
	}
	for row := now.row - 1; row >= 0; row-- {
		if text := now.text(row); strings.HasPrefix(text, mark) {
			return text
		}
	}
	return ""
}

// mark begins each question.
const mark = "? "
