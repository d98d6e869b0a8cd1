// The files of the page lie in its memory. What the program keeps for itself (below /kept) goes to the browser's storage;
// what it writes elsewhere is handed to the user as a download. What the user chooses or drops comes to /kept/files, where it is
// there again on the next visit, or, where it is large or a folder, to /files.
(() => {
  const kept = "/kept";
  const written = new Set();
  let later = 0, keeping = false, again = false;

  const isThere = path => FS.analyzePath(path).exists;

  // Chosen files that neither the last session nor its steps of undo name.
  const forgetFiles = () => {
    const state = kept + "/state/headscope", places = kept + "/files";
    if (!isThere(places)) return;
    const names = isThere(state) ? FS.readdir(state).filter(name => FS.isFile(FS.stat(state + "/" + name).mode)) : [];
    const texts = names.map(name => FS.readFile(state + "/" + name, {encoding: "utf8"})).join();
    for (const number of FS.readdir(places).filter(name => !name.startsWith("."))) {
      const folder = places + "/" + number;
      if (texts.includes(folder + "/")) continue;
      for (const name of FS.readdir(folder).filter(name => name !== "." && name !== "..")) FS.unlink(folder + "/" + name);
      FS.rmdir(folder);
    }
  };

  // A session that reads a file which was too large to be kept goes on with its phrase; undo leads back to it.
  const leaveMissingFiles = () => {
    const session = kept + "/state/headscope/last-session.json";
    if (!isThere(session)) return;
    const text = FS.readFile(session, {encoding: "utf8"});
    const missing = [...text.matchAll(/"(\/files\/[^"]*)"/g)].map(found => found[1]).find(path => !isThere(path));
    if (missing === undefined) return;
    const json = JSON.parse(text);
    FS.writeFile(session, JSON.stringify({headscope: json.headscope, phrase: json.phrase}));
    Module.notice("The last session used " + missing.split("/").pop() +
      ", which was too large to be kept in this browser: drop it here again. Its phrase is still here.");
  };

  // From the browser's storage, before the program starts; where the browser refuses it, nothing is kept. Settled when it is there.
  let settle = null;
  Module.kept = new Promise(done => { settle = done; });
  Module.preRun.push(() => {
    addRunDependency("kept files");
    const ready = error => {
      if (error) Module.notice("This browser keeps nothing of what you do here: " + error + ".");
      try {
        forgetFiles();
        leaveMissingFiles();
      } catch (problem) {
        Module.printErr("What was kept cannot be looked through: " + problem);
      }
      settle();
      removeRunDependency("kept files");
    };
    try {
      FS.mkdirTree(kept);  // what is pushed last runs first
      FS.mount(IDBFS, {}, kept);
    } catch (error) {
      ready(error);
      return;
    }
    FS.syncfs(true, ready);
  });

  const keep = () => {
    if (keeping) {
      again = true;
      return;
    }
    keeping = true;
    FS.syncfs(false, error => {
      keeping = false;
      if (error) console.warn("Nothing is kept: " + error);
      Module.keptTimes = (Module.keptTimes || 0) + 1;
      if (again) {
        again = false;
        keep();
      }
    });
  };

  const isPart = path => path.split("/").pop().startsWith(".");

  const save = (name, parts, type) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(parts, {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    Module.downloads = (Module.downloads || []).concat(name);
  };

  // Several files that were written at once become one archive: a browser asks before it takes more than one.
  const handOver = () => {
    const paths = [...written].filter(path => isThere(path) && !isPart(path));
    written.clear();
    if (paths.length === 1) save(paths[0].split("/").pop(), [FS.readFile(paths[0])], "application/octet-stream");
    if (paths.length < 2) return;
    const folder = paths[0].slice(0, paths[0].lastIndexOf("/") + 1);
    const inside = paths.every(path => path.startsWith(folder));
    const files = paths.map(path => ({name: inside ? path.slice(folder.length) : path.slice(1), bytes: FS.readFile(path)}));
    save("headscope-export.zip", Module.zipOf(files), "application/zip");
  };

  // The program has moved a file to its place, and has written all that belongs together in a folder.
  Module.onMoved = path => {
    if (!path.startsWith(kept + "/") && !path.startsWith("/tmp/")) written.add(path);
  };
  Module.onSynced = folder => {
    if (folder.startsWith(kept + "/")) {
      keep();
    } else {
      clearTimeout(later);
      later = setTimeout(handOver, 100);
    }
  };

  // Copies a File of the browser into a folder of the page; its path there.
  const take = async (file, folder, name) => {
    const path = folder + "/" + name;
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
    return path;
  };
  const mostKept = 64 << 20;  // bytes of a file
  let count = 0;
  // An unused folder for a file of that many bytes.
  const nextFolder = bytes => {
    const places = bytes <= mostKept ? kept + "/files/" : "/files/";
    do ++count; while (isThere(places + count));
    return places + count;
  };

  // The browser's dialog: picked() is null while it is open, then the path.
  let answer = "";
  Module.pick = folder => {
    answer = null;
    const input = document.createElement("input");
    input.type = "file";
    if (folder) input.webkitdirectory = true;
    input.oncancel = () => { answer = ""; };
    input.onchange = async () => {
      const into = nextFolder(folder ? Infinity : input.files[0].size);
      let path = "";
      for (const file of input.files) path = await take(file, into, folder ? file.webkitRelativePath : file.name);
      answer = folder && path !== "" ? into + "/" + path.slice(into.length + 1).split("/")[0] : path;
    };
    Module.picker = input;
    input.click();
  };
  Module.picked = () => answer;

  const tell = path => {
    const words = allocateUTF8(path);
    _headscope_dropped(words);
    _free(words);
  };
  // A folder that is dropped is taken with all that lies below it.
  const takeEntry = async (entry, into) => {
    if (entry.isFile) {
      const file = await new Promise((done, failed) => entry.file(done, failed));
      return take(file, into, entry.fullPath.slice(1));
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (some.length === 0) return into + entry.fullPath;
      for (const each of some) await takeEntry(each, into);
    }
  };
  Module.canvas.addEventListener("dragover", event => event.preventDefault());
  Module.canvas.addEventListener("drop", async event => {
    event.preventDefault();
    const given = event.dataTransfer.files;
    const entries = [...event.dataTransfer.items].map(item => item.webkitGetAsEntry && item.webkitGetAsEntry());
    const folders = entries.some(entry => entry && entry.isDirectory);
    if (folders) {
      const into = nextFolder(Infinity);
      for (const entry of entries) if (entry) tell(await takeEntry(entry, into));
    } else {
      for (const file of [...given]) tell(await take(file, nextFolder(file.size), file.name));
    }
  });
})();
