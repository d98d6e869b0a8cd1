// What the header of a GGUF file says: its keys and its tensors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/io/gguf.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestText = 100;  // of a value that is listed: a chat template has thousands of letters

// Numbers, truths and short texts as they are; of lists and long texts what they are.
Json value_of(const GgufFile& file, const GgufField& field) {
  switch (field.kind) {
    case GgufField::Kind::list:
      return fmt::format("{}, {} items", kind_name(field), field.count);
    case GgufField::Kind::text: {
      const std::string_view text = *file.text(field.key);
      return text.size() > kLongestText ? fmt::format("a text of {} bytes", text.size()) : std::string(text);
    }
    case GgufField::Kind::truth:
      return *file.truth(field.key);
    case GgufField::Kind::f32:
    case GgufField::Kind::f64:
      return *file.number(field.key);
    default:
      return *file.whole(field.key);
  }
}

std::string shown(const Json& value) {
  return printable(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

void add_gguf(const std::string& path, Description& description) {
  const auto file = GgufFile::open(path);
  Json metadata = Json::object(), tensors = Json::array();
  std::vector<std::vector<std::string>> keys = {{"key", "value"}}, rows = {{"tensor", "type", "shape"}};
  for (const GgufField& field : file->header().fields) {
    const Json value = value_of(*file, field);
    metadata[field.key] = value;
    keys.push_back({printable(field.key), shown(value)});
  }
  for (const GgufTensor& tensor : file->header().tensors) {
    tensors.push_back({{"name", tensor.name}, {"dtype", tensor.type->name}, {"shape", tensor.shape}});
    rows.push_back({printable(tensor.name), tensor.type->name, fmt::format("[{}]", fmt::join(tensor.shape, ", "))});
  }
  file->check_unchanged();
  description.json["metadata"] = metadata;
  description.json["tensors"] = tensors;
  description.text += fmt::format("\n{}\n{}", table_text({{}, {}}, keys), table_text({{}, {}, {}}, rows));
}

}  // namespace headscope::cli
