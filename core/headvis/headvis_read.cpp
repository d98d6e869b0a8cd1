#include "core/headvis/headvis_read.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "core/base/error.h"
#include "core/headvis/headvis_json.h"
#include "core/io/mapped_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

// The bytes of a file that holds JSON, given to f. Named by its path where it is something else.
void with_json(const std::string& path, const std::function<void(std::string_view)>& f) {
  const auto file = MappedFile::open(path);
  const std::string seen = describe_bytes(file->bytes());
  if (!seen.empty() && seen != "JSON text") {
    throw Error(fmt::format("{}: is {}; expected JSON of a HeadVis tree", path, seen));
  }
  f({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()});
  file->check_unchanged();
}

}  // namespace

std::vector<std::vector<double>> parse_headvis_scatter(std::string_view json, const HeadVisConfig& config,
                                                       const std::string& what) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places;
  for (const auto& head : config.heads) places.emplace(head, places.size());
  std::vector<std::vector<double>> values(
      config.heads.size(), std::vector<double>(config.metrics.size(), std::numeric_limits<double>::quiet_NaN()));
  std::vector<bool> seen(config.heads.size());
  JsonCursor cursor(json, what);
  each_item(cursor, [&](JsonCursor& item) {
    std::vector<JsonCursor::Member> members = item.read_members();
    JsonCursor::Member *layer = find_member(members, "layer"), *head = find_member(members, "head");
    if (layer == nullptr || head == nullptr) item.fail("a row without \"layer\" or \"head\"");
    const std::pair place{layer->value.read_integer(0, kMostHeadVisLayers),
                          head->value.read_integer(0, kMostHeadVisLayers)};
    const auto found = places.find(place);
    if (found == places.end()) {
      item.fail(fmt::format("a row of head {}.{}, which config.json does not list", place.first, place.second));
    }
    if (seen[found->second]) item.fail(fmt::format("a second row of head {}.{}", place.first, place.second));
    seen[found->second] = true;
    for (std::size_t k = 0; k < config.metrics.size(); ++k) {
      JsonCursor::Member* value = find_member(members, config.metrics[k]);
      if (value == nullptr || value->value.kind() == JsonValue::Kind::null) continue;
      values[found->second][k] = value->value.read_number();
    }
  });
  cursor.finish();
  return values;
}

HeadVisTree read_headvis_tree(const std::string& folder) {
  HeadVisTree tree;
  const std::string config = (fs::path(folder) / "config.json").string();
  const std::string scatter = (fs::path(folder) / "scatter_data.json").string();
  with_json(config, [&](std::string_view json) { tree.config = parse_headvis_config(json, config); });
  with_json(scatter, [&](std::string_view json) { tree.values = parse_headvis_scatter(json, tree.config, scatter); });
  return tree;
}

HeadVisHead read_headvis_head(const std::string& folder, const HeadVisConfig& config, std::int64_t layer,
                              std::int64_t head) {
  const std::string path = (fs::path(folder) / "heads" / headvis_file_name(config.pattern, layer, head)).string();
  HeadVisHead read;
  with_json(path, [&](std::string_view json) { read = parse_headvis_head(json, config, path); });
  return read;
}

}  // namespace headscope
