#include "app/gl/shader_sources.h"

#include <cstdlib>
#include <filesystem>

#include "core/base/assert.h"
#include "core/io/atomic_file.h"

namespace headscope {

std::string shader_text(const std::string& name) {
  constexpr std::size_t size_limit = 1 << 20;
  if (const char* folder = std::getenv("HEADSCOPE_SHADERS"); folder != nullptr && *folder != '\0') {
    return read_small_file((std::filesystem::path(folder) / name).string(), size_limit);
  }
  for (const ShaderSource& source : shader_sources()) {
    if (name == source.name) return source.text;
  }
  HEADSCOPE_ASSERT(false, "no shader is called " + name);
  return {};
}

}  // namespace headscope
