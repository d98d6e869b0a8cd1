// For LD_PRELOAD: the window's OpenGL context is lost, as when a card is reset.
//
// HEADSCOPE_LOSE_CONTEXT=FILE: as soon as FILE is there, the context that is current when the driver is next asked
// about resets is lost. FILE holds how that is told: "status", by glGetGraphicsResetStatus; "error", by glGetError
// alone; "always", by both, and every later context is lost as well. FILE is then removed. A lost context makes no
// texture and no shader.
#include <dlfcn.h>
#include <epoxy/gl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>

#include "taken_call.h"

namespace {

enum class Told { status, error, always };

std::atomic<void*> lost{nullptr};  // the context
std::atomic<Told> told{Told::status};

void* current_context() {
  using Get = void* (*)();
  static const Get get = [] {
    void* const library = dlopen("libGL.so.1", RTLD_LAZY);
    return library == nullptr ? nullptr : reinterpret_cast<Get>(dlsym(library, "glXGetCurrentContext"));
  }();
  return get == nullptr ? nullptr : get();
}

void lose_when_told() {
  const char* const path = std::getenv("HEADSCOPE_LOSE_CONTEXT");
  if (path == nullptr || access(path, F_OK) != 0) return;
  std::string how;
  std::getline(std::ifstream(path), how);
  if (how.empty()) return;  // not written yet
  unlink(path);
  told = how == "error" ? Told::error : how == "always" ? Told::always : Told::status;
  lost = current_context();
}

bool is_lost() {
  void* const context = current_context();
  return lost != nullptr && context != nullptr && (told == Told::always || context == lost);
}

GLenum error();
GLenum status();
void gen_textures(GLsizei count, GLuint* names);
void parameter(GLenum target, GLenum name, GLint value);
GLuint create_shader(GLenum type);

Taken<PFNGLGETERRORPROC> get_error("epoxy_glGetError", error);
Taken<PFNGLGETGRAPHICSRESETSTATUSPROC> get_status("epoxy_glGetGraphicsResetStatus", status);
Taken<PFNGLGENTEXTURESPROC> make_textures("epoxy_glGenTextures", gen_textures);
Taken<PFNGLTEXPARAMETERIPROC> set_parameter("epoxy_glTexParameteri", parameter);
Taken<PFNGLCREATESHADERPROC> make_shader("epoxy_glCreateShader", create_shader);

GLenum error() {
  if (is_lost() && told != Told::status) return GL_CONTEXT_LOST;
  return get_error.call();
}

GLenum status() {
  lose_when_told();
  if (is_lost()) return told == Told::error ? GL_NO_ERROR : GL_GUILTY_CONTEXT_RESET;
  return get_status.call();
}

void gen_textures(GLsizei count, GLuint* names) {
  if (!is_lost()) return make_textures.call(count, names);
  for (GLsizei k = 0; k < count; ++k) names[k] = 0;
}

// An error, as where a texture is refused.
void parameter(GLenum target, GLenum name, GLint value) {
  set_parameter.call(target, name, is_lost() ? -1 : value);
}

GLuint create_shader(GLenum type) {
  return is_lost() ? 0 : make_shader.call(type);
}

}  // namespace
