#include "core/picture/idle_view_options.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/picture/view_option.h"
#include "core/picture/view_options.h"
#include "core/picture/view_reach.h"

namespace headscope {
namespace {

const char* missing(const ViewReach& reach, const ViewSpec& view) {
  return reach.missing == nullptr ? nullptr : reach.missing(view);
}

bool is_for(const ViewReach& reach, ViewKind kind) {
  return reach.views.has(kind) || reach.as_other.has(kind);
}

// "--view heads, head or stage".
std::string views_of(const ViewReach& reach) {
  std::vector<std::string> names;
  for (const ViewKind kind : all_view_kinds()) {
    if (is_for(reach, kind)) names.emplace_back(view_kind_name(kind));
  }
  std::string text = "--view ";
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == names.size() ? " or " : ", ") + names[k];
  }
  return names.empty() ? "another command" : text;
}

}  // namespace

bool acts_on(const ViewOption& option, const ViewSpec& view, bool on_page) {
  const ViewReach& reach = option.reach;
  if (on_page) return reach.on_pages;
  if (reach.as_other.has(view.view)) return true;
  return reach.views.has(view.view) && missing(reach, view) == nullptr;
}

void refuse_idle(const ViewOption& option, const ViewSpec& view, bool on_page) {
  if (is_default(option, view) || acts_on(option, view, on_page)) return;
  if (on_page) {
    throw UsageError(option.name, "found with a page of HTML, where it does nothing",
                     "a picture: --out FILE.png, FILE.svg or FILE.pdf");
  }
  const char* const needs = option.reach.views.has(view.view) ? missing(option.reach, view) : nullptr;
  throw UsageError(option.name, fmt::format("found with --view {}, where it does nothing", view_kind_name(view.view)),
                   needs != nullptr ? needs : views_of(option.reach));
}

}  // namespace headscope
