// Where an option of VIEW does something: a column of its table. A row that says nothing acts on no view, so that a new
// option is refused until its row says what it is for.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/picture/view_spec.h"

namespace headscope {

// Some of the views.
class ViewSet {
 public:
  constexpr ViewSet() = default;
  constexpr ViewSet(std::initializer_list<ViewKind> kinds) {  // NOLINT: implicit on purpose
    for (const ViewKind kind : kinds) bits_ |= bit(kind);
  }
  static constexpr ViewSet all() {
    ViewSet set;
    set.bits_ = ~std::uint32_t{0};
    return set;
  }

  constexpr bool has(ViewKind kind) const { return (bits_ & bit(kind)) != 0; }
  constexpr ViewSet with(ViewKind kind) const {
    ViewSet set = *this;
    set.bits_ |= bit(kind);
    return set;
  }
  constexpr ViewSet without(ViewKind kind) const {
    ViewSet set = *this;
    set.bits_ &= ~bit(kind);
    return set;
  }

 private:
  static constexpr std::uint32_t bit(ViewKind kind) { return std::uint32_t{1} << static_cast<std::uint32_t>(kind); }

  std::uint32_t bits_ = 0;
};

struct ViewReach {
  ViewSet views = {};
  // What it needs on one of these views and does not have there: "a --stage that has heads"; null: nothing is missing.
  // A null function: the kind of view is all.
  const char* (*missing)(const ViewSpec& view) = nullptr;
  // On these views its value is that of another option, which is not given: '--view text --head 3' is of the heads
  // shown.
  ViewSet as_other = {};
  const char* other = "";
  bool on_pages = false;  // HTML pages, whatever the view
};

}  // namespace headscope
