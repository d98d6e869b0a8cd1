// What the browser does in place of programs of the desktop.
#include "app/session/desktop_programs.h"

#include <emscripten.h>

// clang-format off
EM_JS(int, headscope_can, (const char* what), {
  const words = UTF8ToString(what);
  if (typeof window === "undefined") return 0;
  if (words === "copy") return navigator.clipboard && window.ClipboardItem ? 1 : 0;
  return words === "say" ? ("speechSynthesis" in window ? 1 : 0) : 1;
});
EM_JS(void, headscope_copy_image, (const char* path), {
  const png = new Blob([FS.readFile(UTF8ToString(path))], {type: "image/png"});
  navigator.clipboard.write([new ClipboardItem({"image/png": png})]).catch(error => console.warn(error));
});
EM_JS(void, headscope_say, (const char* text), {
  speechSynthesis.cancel();
  const words = new SpeechSynthesisUtterance(UTF8ToString(text));
  words.lang = "en";
  speechSynthesis.speak(words);
});
EM_JS(void, headscope_play, (const char* bytes, int size), {
  if (Module.headscopeSound) Module.headscopeSound.pause();
  const sound = new Blob([HEAPU8.slice(bytes, bytes + size)], {type: "audio/wav"});
  const address = URL.createObjectURL(sound);
  Module.headscopeSound = new Audio(address);
  Module.headscopeSound.onended = () => URL.revokeObjectURL(address);
  Module.headscopeSound.play().catch(error => console.warn(error));
});
// clang-format on

namespace headscope {

// What is written comes among the browser's downloads by itself, where the user opens it.
bool can_open() {
  return false;
}

void open_with_desktop(const std::string&) {}

const char* why_no_opener() {
  return "The browser has it among its downloads.";
}

bool can_copy_image() {
  return headscope_can("copy") != 0;
}

void copy_image(const std::string& png_path) {
  headscope_copy_image(png_path.c_str());
}

const char* why_no_image_copier() {
  return "This browser lets no page copy pictures.";
}

bool can_say() {
  return headscope_can("say") != 0;
}

void say(const std::string& text) {
  headscope_say(text.c_str());
}

bool can_play() {
  return headscope_can("play") != 0;
}

void play(const std::string& wav) {
  headscope_play(wav.data(), static_cast<int>(wav.size()));
}

}  // namespace headscope
