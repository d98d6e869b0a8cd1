"""The scripts of the page (assets/web) in headless Chromium, without the program.

    scripts_test.py

Skipped (77) where there is no browser.
"""
import base64
import io
import json
import pathlib
import sys
import tempfile
import threading
import zipfile
import zlib

import browser as chromium
import serve
from browser import expect

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "assets/web"
PAGE = """<!doctype html><canvas id="canvas"></canvas><textarea id="typing"></textarea>
<script>var Module = {canvas: document.getElementById("canvas"), preRun: [], onSynced: () => {}};
const typed = []; let pastes = 0;
const _headscope_typed = code => typed.push(code), _headscope_pasted = () => ++pastes;</script>
<script src="zip.js"></script><script src="link.js"></script><script src="gl_state.js"></script><script src="input.js"></script>"""
# Calls that Dear ImGui and the window make, in an order that none of them makes.
STATE = """
  const gl = Module.canvas.getContext("webgl2"), truth = gl.getParameter.bind(gl), isOn = gl.isEnabled.bind(gl);
  Module.mirrorState(gl);
  const programs = [gl.createProgram(), null], buffers = [gl.createBuffer(), gl.createBuffer(), null];
  const shader = (kind, text) => { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); return s; };
  gl.attachShader(programs[0], shader(gl.VERTEX_SHADER, "void main() { gl_Position = vec4(0.0); }"));
  gl.attachShader(programs[0], shader(gl.FRAGMENT_SHADER, "void main() { gl_FragColor = vec4(0.0); }"));
  gl.linkProgram(programs[0]);
  const textures = [gl.createTexture(), gl.createTexture(), null], arrays = [gl.createVertexArray(), null];
  const frames = [gl.createFramebuffer(), null], samplers = [gl.createSampler(), null];
  const equations = [gl.FUNC_ADD, gl.FUNC_SUBTRACT], factors = [gl.ONE, gl.ZERO, gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA];
  const switches = [gl.BLEND, gl.CULL_FACE, gl.DEPTH_TEST, gl.SCISSOR_TEST, gl.STENCIL_TEST];
  let seed = 7;
  const any = of => {  // xorshift
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return of[(seed >>> 0) % of.length];
  };
  const calls = [
    () => gl.useProgram(any(programs)), () => gl.bindBuffer(gl.ARRAY_BUFFER, any(buffers)),
    () => gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, null), () => gl.activeTexture(gl.TEXTURE0 + any([0, 1, 2, 3, 4])),
    () => gl.bindTexture(gl.TEXTURE_2D, any(textures)), () => gl.bindVertexArray(any(arrays)),
    () => gl.bindFramebuffer(any([gl.FRAMEBUFFER, gl.READ_FRAMEBUFFER, gl.DRAW_FRAMEBUFFER]), any(frames)),
    () => gl.bindSampler(any([0, 1, 2]), any(samplers)), () => gl.viewport(any([0, 1]), 2, 30, any([40, 50])),
    () => gl.scissor(1, any([2, 3]), any([4, 5]), 6), () => gl.colorMask(any([true, false]), true, any([1, 0]), true),
    () => gl.enable(any(switches)), () => gl.disable(any(switches)), () => gl.blendEquation(any(equations)),
    () => gl.blendEquationSeparate(any(equations), any(equations)), () => gl.blendFunc(any(factors), any(factors)),
    () => gl.blendFuncSeparate(any(factors), any(factors), any(factors), any(factors)),
    () => { gl.deleteTexture(textures[0]); textures[0] = gl.createTexture(); },
    () => { gl.deleteBuffer(buffers[0]); buffers[0] = gl.createBuffer(); },
    () => { gl.deleteFramebuffer(frames[0]); frames[0] = gl.createFramebuffer(); },
    () => { gl.deleteVertexArray(arrays[0]); arrays[0] = gl.createVertexArray(); },
    () => { gl.deleteSampler(samplers[0]); samplers[0] = gl.createSampler(); }];
  const asked = ["ACTIVE_TEXTURE", "CURRENT_PROGRAM", "VERTEX_ARRAY_BINDING", "VIEWPORT", "SCISSOR_BOX", "COLOR_WRITEMASK",
    "BLEND_EQUATION_RGB", "BLEND_EQUATION_ALPHA", "BLEND_SRC_RGB", "BLEND_DST_RGB", "BLEND_SRC_ALPHA", "BLEND_DST_ALPHA",
    "ARRAY_BUFFER_BINDING", "ELEMENT_ARRAY_BUFFER_BINDING", "DRAW_FRAMEBUFFER_BINDING", "READ_FRAMEBUFFER_BINDING",
    "TEXTURE_BINDING_2D", "SAMPLER_BINDING", "MAX_TEXTURE_SIZE"];
  const same = (a, b) => a === b || (a !== null && b !== null && typeof a === "object" && a.length > 0 && [...a].join() === [...b].join());
  const wrong = new Set();
  for (let k = 0; k < arguments[0]; ++k) {
    any(calls)();
    for (const name of asked) if (!same(gl.getParameter(gl[name]), truth(gl[name]))) wrong.add(name);
    for (const what of switches) if (gl.isEnabled(what) !== isOn(what)) wrong.add("switch " + what);
  }
  const error = gl.getError();
  return {wrong: [...wrong], error};
"""


def archives_can_be_read(page):
    files = [("weights.csv", b"1,2\n3,4\n" * 100), ("Größe/⛄.txt", "日本語".encode()), ("empty", b"")]
    packed = page.js("""
      const files = arguments[0].map(([name, text]) => ({name, bytes: Uint8Array.from(atob(text), c => c.charCodeAt(0))}));
      return new Blob(Module.zipOf(files)).arrayBuffer().then(b => btoa(String.fromCharCode(...new Uint8Array(b))));
    """, [[name, base64.b64encode(data).decode()] for name, data in files])
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(packed))) as archive:
        expect(archive.testzip() is None, "the sums of the archive are wrong")
        expect([(i.filename, archive.read(i)) for i in archive.infolist()] == files, "other files come out than went in")


def links_are_deflated_sessions(page):
    session = json.dumps({"headscope": "1.0.0", "phrase": "Größe ⛄ 日本語 " * 50})
    letters = page.js("return Module.linkOf(arguments[0])", session)
    expect(not set(letters) & set("+/="), f"letters that an address cannot hold: {letters}")
    packed = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
    expect(zlib.decompress(packed, -15).decode() == session, "Python reads another session from the link")
    expect(page.js("return Module.sessionOf(arguments[0])", letters) == session, "the page reads another session from its link")
    expect(page.js("return Module.sessionOf('abc').then(() => '', error => 'refused')") == "refused", "a broken link is read")


def the_mirror_answers_as_webgl_does(page):
    found = page.js(STATE, 3000)
    expect(found["wrong"] == [], f"the mirror is wrong about {found['wrong']}")
    expect(found["error"] == 0, f"WebGL refuses a call of the test: {found['error']}")


def text_comes_by_the_hidden_field(page):
    page.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
        {"type": kind, "value": sign} for sign in "aÄ⛄" for kind in ("keyDown", "keyUp")]}]})
    typed = "".join(map(chr, page.js("return typed")))
    expect(typed == "aÄ⛄", f"typed was {typed!r}")
    expect(page.js("return document.getElementById('typing').value") == "", "the field keeps what was typed")
    page.js("""const moved = new DataTransfer(); moved.setData("text", "from elsewhere");
      window.dispatchEvent(new ClipboardEvent("paste", {clipboardData: moved, cancelable: true}));""")
    expect(page.js("return [Module.pasted, pastes]") == ["from elsewhere", 1], "a paste is told once, with its text")


TESTS = [archives_can_be_read, links_are_deflated_sessions, the_mirror_answers_as_webgl_does, text_comes_by_the_hidden_field]


def main():
    if reason := chromium.missing():
        print(f"skipped: {reason}")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory(prefix="headscope-scripts-") as folder:
        for script in SCRIPTS.glob("*.js"):
            pathlib.Path(folder, script.name).write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
        pathlib.Path(folder, "index.html").write_text(PAGE, encoding="utf-8")
        server = serve.server_of(folder, 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.Browser()
        try:
            for test in TESTS:
                page.open(f"http://127.0.0.1:{server.server_address[1]}/")
                try:
                    test(page)
                    print(f"ok      {test.__name__}")
                except chromium.Failure as failure:
                    failed += 1
                    print(f"FAILED  {test.__name__}: {failure}")
        finally:
            page.close()
            server.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
