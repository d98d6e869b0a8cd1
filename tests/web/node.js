// headscope-cli under node has the environment of its process.
var Module = typeof Module != "undefined" ? Module : {};
Module.preRun = [() => Object.assign(ENV, process.env)];
