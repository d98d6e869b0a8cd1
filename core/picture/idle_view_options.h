// Options of VIEW that do nothing for a view.
#pragma once

#include "core/picture/view_option.h"
#include "core/picture/view_spec.h"

namespace headscope {

// Whether the option does something for the view, whatever its value; `on_page`: for the page of HTML that holds it.
bool acts_on(const ViewOption& option, const ViewSpec& view, bool on_page = false);

// Throws UsageError where the view has the option at another value than its default, and it does nothing there:
// "--hide-below: found with --view heads, where it does nothing; expected --view arcs".
void refuse_idle(const ViewOption& option, const ViewSpec& view, bool on_page = false);

}  // namespace headscope
