#include "app/gl/shader_dialect.h"

namespace headscope {

const char* shader_version() {
  return "#version 330 core";
}

std::string in_dialect(std::string text) {
  return text;
}

}  // namespace headscope
