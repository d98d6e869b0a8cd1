// Steps through JSON that the readers of HeadVis's files share. Internal to core/headvis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/json_cursor.h"

namespace headscope {

constexpr std::int64_t kMostHeadVisLayers = std::int64_t{1} << 20;

std::string text_at(JsonCursor& at);

// f(cursor) at every item of the list.
void each_item(JsonCursor& at, const std::function<void(JsonCursor&)>& f);

// A list of at most so many texts.
std::vector<std::string> texts_at(JsonCursor& at, std::size_t most);

// Null where there is none of that name.
JsonCursor::Member* find_member(std::vector<JsonCursor::Member>& members, std::string_view key);

// Error that names `what` where there is none.
JsonCursor& need_member(std::vector<JsonCursor::Member>& members, const char* key, const std::string& what);

}  // namespace headscope
