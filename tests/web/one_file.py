"""The page, its script, its program and its data as one file that opens from a folder, without a server.

    one_file.py FOLDER OUT.html

What is binary is compressed (gzip) and written in 85 signs, five for four bytes: base64 would take a fifteenth more. The
browser itself unpacks it.
"""
import base64
import gzip
import json
import pathlib
import re
import sys

PYTHONS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"  # of base64.b85encode
# The printable signs without those that mean something to HTML or to a string.
SIGNS = "".join(chr(code) for code in range(33, 127) if chr(code) not in "<>&\"'\\`/-")

LOADER = """<script>
(async () => {
  const signs = SIGNS, place = new Uint8Array(128);
  for (let k = 0; k < signs.length; ++k) place[signs.charCodeAt(k)] = k;
  const plain = async id => {
    const holder = document.getElementById(id), text = holder.textContent;
    const words = new DataView(new ArrayBuffer(text.length / 5 * 4));
    for (let at = 0, to = 0; at < text.length; to += 4) {
      let word = 0;
      for (let k = 0; k < 5; ++k) word = word * 85 + place[text.charCodeAt(at++)];
      words.setUint32(to, word);
    }
    const bytes = new Uint8Array(words.buffer, 0, Number(holder.dataset.bytes));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  };
  const data = await plain("data");
  window.Module = {wasmBinary: await plain("program"), getPreloadedPackage: () => data};
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(await plain("script"));
  document.body.append(script);
})();
</script>""".replace("SIGNS", json.dumps(SIGNS))


def packed(bytes_):
    """The bytes compressed, in signs, and how many there are without what fills up the last four."""
    small = gzip.compress(bytes_, 9, mtime=0)
    full = small + bytes(-len(small) % 4)
    return base64.b85encode(full).decode().translate(str.maketrans(PYTHONS, SIGNS)), len(small)


def part(id_, bytes_):
    signs, count = packed(bytes_)
    return f'<script type="text/plain" id="{id_}" data-bytes="{count}">{signs}</script>'


def main(folder, out):
    folder = pathlib.Path(folder)
    page = (folder / "index.html").read_text(encoding="utf-8")
    parts = [("program", "index.wasm"), ("data", "index.data"), ("script", "index.js")]
    inside = "\n".join(part(id_, (folder / name).read_bytes()) for id_, name in parts)
    page, count = re.subn(r'<script[^>]*src="?index\.js"?[^>]*></script>', lambda _: inside + "\n" + LOADER, page)
    if count != 1:
        sys.exit(f"{folder}/index.html loads its script in another way than this expects")
    pathlib.Path(out).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
