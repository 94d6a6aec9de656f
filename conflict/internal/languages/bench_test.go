//go:build cgo

package languages

import (
	"fmt"
	"strings"
	"testing"
)

// generated gives about a megabyte of source: a piece again and again, with the number of the piece for each %d.
func generated(piece string) []byte {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		b.WriteString(strings.ReplaceAll(piece, "%d", fmt.Sprint(i)))
	}
	return []byte(b.String())
}

// pieces are sources to generate files from, by the name of the file.
func pieces() map[string]string {
	return map[string]string{
		"a.py": `
class Account%d(Base):
    limit = 3

    def __init__(self, client, name="x"):
        self.client = Client(client, retries=3)
        self.name = name

    def send%d(self, items, *args, **options):
        """Send items."""
        total = 0
        for item in items:
            if item.ready and self.client.check(item, *args):
                total += self.client.send(item.body, timeout=LIMIT)
        return [x.id for x in items if x.id > total]
`,
		"a.ts": `
export class Account%d extends Base<Item> implements Sender {
  private client: Client = new Client(3);
  constructor(private readonly name: string, public limit = 3) { super(name); }
  // Send items.
  async send%d(items: Item[], ...args: string[]): Promise<number[]> {
    let total = 0;
    for (const item of items) {
      if (item.ready && this.client.check(item, ...args)) {
        total += await this.client.send(item.body, { timeout: LIMIT });
      }
    }
    return items.map((x) => x.id).filter((id) => id > total);
  }
}
`,
		"a.java": `
public class Account%d extends Base<Item> implements Sender {
    private final Client client = new Client(3);
    public Account%d(String name, int limit) { super(name); }
    /** Sends items. */
    @Override
    public List<Integer> send(List<Item> items, String... args) throws IOException {
        int total = 0;
        for (Item item : items) {
            if (item.ready && this.client.check(item, args)) {
                total += client.send(item.body(), LIMIT);
            }
        }
        return items.stream().map(x -> x.id()).filter(id -> id > total).toList();
    }
}
`,
	}
}

func BenchmarkParse(b *testing.B) {
	for name, piece := range pieces() {
		data := generated(piece)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(name, data)
			}
		})
	}
}
