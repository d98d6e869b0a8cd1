// What a panel remembers from one frame to the next: one plain struct a panel, declared in the panel's own header and
// made with its defaults when it is first used. No header has to know the structs of all panels.
#pragma once

#include <memory>
#include <string>
#include <typeindex>
#include <unordered_map>

namespace headscope::ui {

// A state may have `void add_text(std::string& all) const`: it appends what the panel draws and what neither the draft
// nor a text field holds (names of files, answers). The font atlas needs these characters.
template <typename State>
concept HasText = requires(const State& state, std::string& all) {
  state.add_text(all);
};

class PanelStates {
 public:
  // The one State of this window. The reference stays valid until forget<State>().
  template <typename State>
  State& get() {
    Entry& entry = entries_[typeid(State)];
    if (entry.state == nullptr) entry = make_entry<State>();
    return *static_cast<State*>(entry.state.get());
  }
  // Null when nothing has used the State yet.
  template <typename State>
  const State* find() const {
    const auto found = entries_.find(typeid(State));
    return found == entries_.end() ? nullptr : static_cast<const State*>(found->second.state.get());
  }
  // The next get<State>() starts from the defaults.
  template <typename State>
  void forget() {
    entries_.erase(typeid(State));
  }
  void add_text(std::string& all) const {
    for (const auto& [type, entry] : entries_) {
      if (entry.add_text != nullptr) entry.add_text(entry.state.get(), all);
    }
  }

 private:
  struct Entry {
    std::shared_ptr<void> state;
    void (*add_text)(const void* state, std::string& all) = nullptr;  // null: the panel shows no text of its own
  };

  template <typename State>
  static Entry make_entry() {
    Entry entry{std::make_shared<State>()};
    if constexpr (HasText<State>) {
      entry.add_text = [](const void* state, std::string& all) { static_cast<const State*>(state)->add_text(all); };
    }
    return entry;
  }

  std::unordered_map<std::type_index, Entry> entries_;
};

}  // namespace headscope::ui
