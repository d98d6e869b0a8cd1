// A session in the link: #s= and the session's JSON, deflated, in base64url. The address of the page is that of what it shows.
(() => {
  const session = "/kept/state/headscope/last-session.json";
  const through = async (bytes, stream) => new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  const inLetters = bytes => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const fromLetters = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));

  // The letters of a session, and back; a Promise.
  Module.linkOf = async json => inLetters(await through(new TextEncoder().encode(json), new CompressionStream("deflate-raw")));
  Module.sessionOf = async letters => new TextDecoder().decode(
    await through(fromLetters(letters), new DecompressionStream("deflate-raw")));

  const given = location.hash.startsWith("#s=") ? location.hash.slice(3) : "";
  const address = new URLSearchParams(location.search);
  const opens = (name, bytes) => {
    FS.mkdirTree("/files/link");
    FS.writeFile("/files/link/" + name, bytes);
    Module.arguments.push("/files/link/" + name);
  };
  Module.arguments = address.getAll("argument");
  // What this tab itself has put into its address is what it has kept as well, with its steps of undo.
  if (given !== "" && sessionStorage.getItem("headscope link") !== given) {
    Module.preRun.push(() => {
      addRunDependency("link");
      Module.sessionOf(given).then(text => opens("linked-session.json", text), error => Module.printErr(
        "The session in this link cannot be read: " + error)).finally(() => removeRunDependency("link"));
    });
  } else if (address.has("lesson")) {
    Module.preRun.push(() => {
      addRunDependency("lesson");
      fetch(address.get("lesson")).then(async answer => {
        if (!answer.ok) throw new Error(answer.status + " " + answer.statusText);
        opens("lesson.json", new Uint8Array(await answer.arrayBuffer()));
      }).catch(error => Module.printErr("The lesson cannot be read: " + error)).finally(() => removeRunDependency("lesson"));
    });
  }

  // After the session was saved: once the program has settled its files.
  const synced = Module.onSynced;
  Module.onSynced = folder => {
    synced(folder);
    if (!session.startsWith(folder + "/")) return;
    setTimeout(async () => {
      if (!FS.analyzePath(session).exists) return;
      const letters = await Module.linkOf(FS.readFile(session, {encoding: "utf8"}));
      sessionStorage.setItem("headscope link", letters);
      history.replaceState(null, "", "#s=" + letters);
    }, 0);
  };
})();
