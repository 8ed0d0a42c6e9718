#!/bin/sh
# Lines per second of `firstseen dedupe`, beside the tools that people use for it, as a Markdown table.
#
#   cli/benches/throughput.sh [millions of lines, default 5]
#
# The stream is the same for the same number of lines: every second line repeats one of the 100,000 before it. Each
# command reads a file that is in the page cache and writes to /dev/null; the best of three runs counts.
set -eu
millions=${1:-5}
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo build --release --quiet --manifest-path "$here/Cargo.toml" --package firstseen-cli
firstseen=${CARGO_TARGET_DIR:-$here/target}/release/firstseen

# mawk and gawk have different generators of random numbers, so the stream brings its own: a linear congruence that stays
# within the integers that a double holds.
awk -v lines="${millions}000000" -v dir="$work" 'BEGIN {
    seed = 1
    for (i = 0; i < lines; i++) {
        seed = (seed * 16807) % 2147483647
        n = seed % 2 ? i : i - seed % 100000
        if (n < 0) n = i
        at = 1700000000000 + i
        printf "{\"id\":\"evt_%024.0f\",\"type\":\"invoice.paid\",\"created\":%.0f,\"amount\":%d}\n", n * 7919, at, n % 9973 > (dir "/ndjson")
        printf "evt_%024.0f,invoice.paid,%.0f,%d\n", n * 7919, at, n % 9973 > (dir "/body")
        printf "192.0.2.%d evt_%024.0f invoice.paid GET /v1/invoices/%d 200\n", n % 256, n * 7919, n % 9973 > (dir "/lines")
    }
}'
{ echo id,type,created,amount; cat "$work/body"; } >"$work/csv"
rm "$work/body"

now() { date +%s%N; }

# row <name> <file> <shell command with $f for the file>
row() {
    f=$work/$2
    best=
    for _ in 1 2 3; do
        start=$(now)
        eval "$3" >/dev/null 2>&1
        took=$((($(now) - start) / 1000000))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
    done
    count=$(wc -l <"$f")
    # A pipe would end the table's cell.
    shown=$(printf '%s' "$3" | sed 's/\$firstseen/firstseen/; s/\$f/FILE/; s/|/\\|/g')
    printf '| %s | `%s` | %s | %s.%02d M |\n' "$1" "$shown" "$best ms" $((count / best / 1000)) $((count / best % 1000 / 10))
}

echo "$millions million lines; bytes per line: ndjson $(($(wc -c <"$work/ndjson") / millions / 1000000)), csv $(($(wc -c <"$work/csv") / millions / 1000000)), lines $(($(wc -c <"$work/lines") / millions / 1000000))."
echo
echo "| stream | command | best of 3 | lines/s |"
echo "|---|---|---|---|"
row lines lines '$firstseen dedupe $f --format lines --window 1h'
row lines lines "awk '!seen[\$0]++' \$f"
if command -v gawk >/dev/null; then row lines lines "gawk '!seen[\$0]++' \$f"; fi
row lines lines 'LC_ALL=C sort -u $f'
row ndjson ndjson '$firstseen dedupe $f --id id --window 1h'
row ndjson ndjson '$firstseen dedupe $f --id id --time created --window 10m'
row ndjson ndjson '$firstseen dedupe $f --id type --id id --window 1h'
if command -v jq >/dev/null; then row ndjson ndjson 'jq -r .id $f | LC_ALL=C sort -u'; fi
row csv csv '$firstseen dedupe $f --format csv --id id --window 1h'
row csv csv "awk -F, '!seen[\$1]++' \$f"
