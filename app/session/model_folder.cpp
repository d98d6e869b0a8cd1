#include "app/session/model_folder.h"

#include <filesystem>
#include <system_error>

#include "app/session/documents.h"
#include "core/io/tensor_file.h"
#include "core/io/tensor_formats.h"

namespace headscope {

std::string folder_of_weights(const std::string& path) {
  const std::filesystem::path file = path;
  const std::string name = file.filename().string();
  if (!name.ends_with(".safetensors") || (name != "model.safetensors" && !name.starts_with("model-"))) return "";
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "";
  if (!std::filesystem::is_regular_file(file.parent_path() / "config.json", error)) return "";
  if (is_capture(open_safetensors(path))) return "";
  return file.parent_path().empty() ? "." : file.parent_path().string();
}

}  // namespace headscope
