// The one spelling of every ViewSpec field: as command-line option, as key of session files (with _ for -), and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/picture/view_option.h"
#include "core/picture/view_spec.h"

namespace headscope {

// Every field of ViewSpec, in the order of session files (--against is not a field).
const std::vector<ViewOption>& view_options();
const ViewOption* find_view_option(std::string_view name);

// Every kind of view, in the order of --view.
const std::vector<ViewKind>& all_view_kinds();

// True when the view does not differ from ViewSpec{} in this option.
bool is_default(const ViewOption& option, const ViewSpec& view);

// JSON of the session file's "view": one key an option, only what differs from ViewSpec{}.
std::string view_json(const ViewSpec& view);

// One key of it, its value spelled as at the command line ("colormap", "magma"; "range", "-1,1"; "log", "on").
// Returns false for an unknown key; throws UsageError for a value that cannot be.
bool set_view_value(ViewSpec& view, std::string_view key, const std::string& text);

}  // namespace headscope
