// The groups that the main views stand in, in the strip.
#pragma once

namespace headscope::ui {

enum class ViewGroup { look, change, why, beyond };

}  // namespace headscope::ui
