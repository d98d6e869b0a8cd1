// What the views beside the grid derive from a trace: arcs of heads, features of one query, ranges of weights.
#include <algorithm>

#include "app/ui/panel_data.h"

namespace headscope::ui {

namespace {

constexpr std::size_t kKept = 4;  // all lines, those of the chosen and of the hovered token, and one to go back to

// The entry of `key`, moved to the front, made when there is none.
template <typename Key, typename Value, typename Make>
const Value& recent(std::list<std::pair<Key, Value>>& entries, const Key& key, const Make& make) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key; });
  if (found != entries.end()) {
    entries.splice(entries.begin(), entries, found);
  } else {
    entries.emplace_front(key, make());
    if (entries.size() > kKept) entries.pop_back();
  }
  return entries.front().second;
}

}  // namespace

const ValueRange& PanelData::file_range(const std::string& name, const Tensor& tensor) {
  const auto found = file_ranges_.find(name);
  if (found != file_ranges_.end()) return found->second;
  return file_ranges_.emplace(name, automatic_range(tensor, false, true, nullptr)).first->second;
}

const Arcs& PanelData::arcs(const ArcRequest& request) {
  return recent(links_, request, [&] { return strongest_arcs(*trace_, request); });
}

const Neurons& PanelData::neurons(std::int64_t batch, std::int64_t head, std::int64_t query) {
  return recent(neurons_, {batch, head, query}, [&] {
    return neurons_of(*trace_, batch, head, query, {0, trace_->key_len()});
  });
}

}  // namespace headscope::ui
