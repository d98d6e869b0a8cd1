#include "core/headvis/headvis_json.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headscope {

std::string text_at(JsonCursor& at) {
  std::string text;
  at.read_string(text);
  return text;
}

void each_item(JsonCursor& at, const std::function<void(JsonCursor&)>& f) {
  for (bool more = at.enter('['); more; more = at.next(']')) f(at);
}

std::vector<std::string> texts_at(JsonCursor& at, std::size_t most) {
  std::vector<std::string> texts;
  each_item(at, [&](JsonCursor& item) {
    if (texts.size() == most) item.fail(fmt::format("more than {} texts", most));
    texts.push_back(text_at(item));
  });
  return texts;
}

JsonCursor::Member* find_member(std::vector<JsonCursor::Member>& members, std::string_view key) {
  for (JsonCursor::Member& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

JsonCursor& need_member(std::vector<JsonCursor::Member>& members, const char* key, const std::string& what) {
  JsonCursor::Member* found = find_member(members, key);
  if (found == nullptr) throw Error(fmt::format("{}: has no \"{}\"; expected a file of a HeadVis tree", what, key));
  return found->value;
}

}  // namespace headscope
