#include "core/model/draft_sizes.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

// A whole number of the settings; 0 where it is none.
std::int64_t whole_setting(const Json& settings, const char* key) {
  const auto found = settings.find(key);
  return found == settings.end() || !found->is_number_integer() ? 0 : found->get<std::int64_t>();
}

void draft_heads(const DraftParts& parts, Json& settings) {
  const std::size_t rows = parts.in_out() ? 1 : 0;
  const std::int64_t heads = whole_setting(settings, "num_heads"), width = parts.dim("word.weight", 1);
  const std::int64_t query = parts.dim("query.weight", rows), key = parts.dim("key.weight", rows);
  if (heads < 1) return;
  if (query > 0 && !settings.contains("head_dim") && query % heads == 0 && query != width) {
    settings["head_dim"] = query / heads;
  }
  std::int64_t head = whole_setting(settings, "head_dim");
  if (head < 1) head = (query > 0 ? query : width) / heads;
  if (head < 1 || settings.contains("num_kv_heads")) return;
  if (key != query && key > 0) settings["num_kv_heads"] = key / head;
  const std::int64_t both = parts.dim("qkv.weight", rows) / head - heads;  // heads of keys and of values
  if (both > 0 && both != 2 * heads) settings["num_kv_heads"] = both / 2;
}

// Heads that share keys have no rows [q k v] of their own.
void draft_fused_rows(Json& settings, std::vector<std::string>& unsure) {
  const std::int64_t heads = whole_setting(settings, "num_heads"), key_heads = whole_setting(settings, "num_kv_heads");
  if (settings.value("fused_rows", "") != "per_head" || key_heads < 1 || key_heads == heads) return;
  settings["fused_rows"] = key_heads == 1 ? "blocked" : "grouped";
  unsure.push_back(key_heads == 1 ? "fused_rows: blocked is a guess, as there is one head of keys"
                                  : "fused_rows: grouped is a guess, as heads share keys");
}

void draft_position_table(const DraftConfig& config, const DraftParts& parts, Json& settings,
                          std::vector<std::string>& unsure) {
  const std::int64_t table = parts.dim("position.weight", 0), most = whole_setting(settings, "max_positions");
  if (table < 1 || most < 1) return;
  if (settings.contains("position_offset")) {
    settings["max_positions"] = table - whole_setting(settings, "position_offset");
  } else if (table > most) {
    settings["position_offset"] = table - most;
  } else if (config.find("pad_token_id") != nullptr) {
    unsure.emplace_back(
        "position_offset: 0 is a guess; RoBERTa and models like it have pad_token_id + 1, and as many fewer "
        "max_positions than rows of the table");
  }
}

}  // namespace

void draft_sizes(const DraftConfig& config, const DraftParts& parts, Json& settings, std::vector<std::string>& unsure) {
  draft_heads(parts, settings);
  draft_fused_rows(settings, unsure);
  draft_position_table(config, parts, settings, unsure);
}

}  // namespace headscope
