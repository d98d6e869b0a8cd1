// The files of the page lie in its memory. What the program keeps for itself (below /kept) goes to the browser's storage;
// what it writes elsewhere is handed to the user as a download; what the user chooses or drops comes to /files.
(() => {
  const kept = "/kept";
  const written = new Set();
  let later = 0, keeping = false, again = false;

  // Of the browser's storage, before the program starts; where the browser refuses it, nothing is kept.
  Module.preRun.push(() => {
    addRunDependency("kept files");
    try {
      FS.mkdirTree(kept);  // what is pushed last runs first
      FS.mount(IDBFS, {}, kept);
    } catch (error) {
      removeRunDependency("kept files");
      return;
    }
    FS.syncfs(true, error => {
      if (error) console.warn("Nothing is kept from earlier: " + error);
      removeRunDependency("kept files");
    });
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

  const isThere = path => FS.analyzePath(path).exists;
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
  let count = 0;
  const nextFolder = () => "/files/" + ++count;

  // The browser's dialog: picked() is null while it is open, then the path.
  let answer = "";
  Module.pick = folder => {
    answer = null;
    const input = document.createElement("input");
    input.type = "file";
    if (folder) input.webkitdirectory = true;
    input.oncancel = () => { answer = ""; };
    input.onchange = async () => {
      const into = nextFolder();
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
    const into = nextFolder();
    const entries = [...event.dataTransfer.items].map(item => item.webkitGetAsEntry && item.webkitGetAsEntry());
    if (entries.length > 0 && entries.every(entry => entry)) {
      for (const entry of entries) tell(await takeEntry(entry, into));
    } else {
      for (const file of event.dataTransfer.files) tell(await take(file, into, file.name));
    }
  });
})();
