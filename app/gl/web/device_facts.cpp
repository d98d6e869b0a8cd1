#include "app/gl/device_facts.h"

#include <epoxy/gl.h>

namespace headscope {

namespace {

std::string text_of(GLenum name) {
  const GLubyte* text = glGetString(name);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

}  // namespace

DeviceFacts device_facts() {
  return {text_of(GL_RENDERER), text_of(GL_VENDOR), text_of(GL_VERSION), ""};
}

DeviceFacts device_facts_without_window() {
  return {"", "", "", "a browser has no OpenGL but that of the page's window"};
}

}  // namespace headscope
