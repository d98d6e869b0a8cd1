"""The page, its script, its program and its data as one file that opens from a folder, without a server.

    one_file.py FOLDER OUT.html

What is binary is compressed (gzip) and written in base64; the browser itself unpacks it.
"""
import base64
import gzip
import pathlib
import re
import sys

LOADER = """<script>
(async () => {
  const plain = async id => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  };
  const data = await plain("data");
  window.Module = {wasmBinary: await plain("program"), getPreloadedPackage: () => data};
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(await plain("script"));
  document.body.append(script);
})();
</script>"""


def packed(bytes_):
    return base64.b64encode(gzip.compress(bytes_, 9, mtime=0)).decode()


def main(folder, out):
    folder = pathlib.Path(folder)
    page = (folder / "index.html").read_text(encoding="utf-8")
    parts = [("program", "index.wasm"), ("data", "index.data"), ("script", "index.js")]
    inside = "\n".join(f'<script type="text/plain" id="{id_}">{packed((folder / name).read_bytes())}</script>'
                       for id_, name in parts)
    page, count = re.subn(r'<script[^>]*src="?index\.js"?[^>]*></script>', lambda _: inside + "\n" + LOADER, page)
    if count != 1:
        sys.exit(f"{folder}/index.html loads its script in another way than this expects")
    pathlib.Path(out).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
