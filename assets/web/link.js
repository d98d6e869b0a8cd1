// A session in the link: #s= and the session's JSON, deflated, in base64url. The address of the page is that of what it shows.
(() => {
  const state = "/kept/state/headscope/";
  const through = async (bytes, stream) => new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  const inLetters = bytes => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const fromLetters = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));

  // The letters of a session, and back; a Promise.
  Module.linkOf = async json => inLetters(await through(new TextEncoder().encode(json), new CompressionStream("deflate-raw")));
  Module.sessionOf = async letters => new TextDecoder().decode(
    await through(fromLetters(letters), new DecompressionStream("deflate-raw")));

  // The session file of what the program has kept last: its request, and how the window shows it. "" where there is none, and
  // where it reads a file that was dropped or chosen: nobody else has that.
  const current = () => {
    const read = name => FS.analyzePath(state + name).exists ? FS.readFile(state + name, {encoding: "utf8"}) : "";
    const session = read("last-session.json"), view = read("last-view.json");
    if (session === "") return "";
    const json = JSON.parse(session);
    if (view !== "") json.window = JSON.parse(view);
    const text = JSON.stringify(json);
    return text.includes('"/files/') || text.includes('"/kept/') ? "" : text;
  };
  const currentLink = async () => {
    const text = current();
    return text === "" ? "" : Module.linkOf(text);
  };

  const inAddress = () => location.hash.startsWith("#s=") ? location.hash.slice(3) : "";
  const given = inAddress(), address = new URLSearchParams(location.search);
  const opens = (name, bytes) => {
    FS.mkdirTree("/files/link");
    FS.writeFile("/files/link/" + name, bytes);
    Module.arguments.push("/files/link/" + name);
  };
  // Before the program starts, with what the browser has kept.
  const beforeStart = (name, task) => Module.preRun.push(() => {
    addRunDependency(name);
    Module.kept.then(task).finally(() => removeRunDependency(name));
  });
  Module.arguments = address.getAll("argument");
  if (given !== "") {
    beforeStart("link", async () => {
      // What this browser has kept of it has steps of undo as well.
      if (await currentLink().catch(() => "") === given) return;
      await Module.sessionOf(given).then(text => opens("linked-session.json", text), () => Module.notice(
        "The link in the address is damaged or cut short: it opens nothing. You see what this browser showed last, or the demo."));
    });
  } else if (address.get("lesson")) {
    beforeStart("lesson", async () => {
      const name = address.get("lesson");
      await fetch(name).then(async answer => {
        if (!answer.ok) throw new Error(answer.status + " " + answer.statusText);
        opens("lesson.json", new Uint8Array(await answer.arrayBuffer()));
      }).catch(error => Module.notice(location.protocol === "file:"
        ? "A page that is a file of yours may not read other files: drop " + name + " on it."
        : "The lesson " + name + " cannot be read: " + error.message + "."));
    });
  }
  // Another link in the address, pasted or followed within the page, is opened as in a new tab.
  let shown = given;
  window.addEventListener("hashchange", () => {
    if (inAddress() !== shown && inAddress() !== "") location.reload();
  });

  // After the session was saved: once the program has settled its files.
  const synced = Module.onSynced;
  Module.onSynced = folder => {
    synced(folder);
    if (!state.startsWith(folder)) return;
    setTimeout(async () => {
      shown = await currentLink();
      history.replaceState(null, "", shown === "" ? location.pathname + location.search : "#s=" + shown);
    }, 0);
  };
})();
