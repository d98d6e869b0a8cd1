// Before the program starts: where it runs, what it is given, and what the page says meanwhile. All of it is added to
// emscripten's Module, which the program's own script reads.
var Module = typeof Module != "undefined" ? Module : {};
Module.canvas = document.getElementById("canvas");
Module.began = performance.now();
Module.log = [];  // what the program said; tests read it

Module.say = text => {
  const says = document.getElementById("says");
  says.textContent = text;
  says.hidden = text === "";
};
// A sentence at the foot of the page, for a while or until it is clicked.
Module.notice = text => {
  const place = document.getElementById("notice"), hide = () => { place.hidden = true; };
  place.textContent = text;
  place.hidden = false;
  place.onclick = hide;
  setTimeout(hide, 20000);
  Module.log.push("notice: " + text);
};
Module.print = text => console.log(text);
Module.printErr = text => {
  console.warn(text);
  Module.log.push(text);
};
Module.stopped = why => {
  Module.hasStopped = true;
  Module.say("Headscope has stopped. " + why + "\nWhat you did is kept in this browser: load the page again.");
};
Module.onAbort = why => Module.stopped(String(why));
window.addEventListener("error", event => Module.log.push("error: " + event.message));
window.addEventListener("unhandledrejection", event => Module.log.push("rejected: " + event.reason));

// Once for each frame that the program has drawn.
Module.onTurn = () => {
  if (Module.firstPicture === undefined) {
    Module.firstPicture = performance.now() - Module.began;
    Module.say("");
  }
  Module.turns = (Module.turns || 0) + 1;
};

// emscripten's own, which brings the data, stands there before.
Module.preRun = [].concat(Module.preRun || [], () => {
  ENV.HOME = "/home/you";
  ENV.LANG = "en_US.UTF-8";
  ENV.XDG_CONFIG_HOME = "/kept/config";
  ENV.XDG_STATE_HOME = "/kept/state";
  for (const folder of ["/home/you", "/kept", "/files"]) FS.mkdirTree(folder);
  FS.chdir("/home/you");
});
