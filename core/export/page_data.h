// The numbers of a page, and its head: what pages of one view and of a lesson share. Internal to core/export.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/picture/palette.h"
#include "core/picture/view_spec.h"

namespace headscope {

inline constexpr double kMostPageBytes = 64e6;
inline constexpr double kPageBytesPerCell = 4 * 4.0 / 3;  // base64 of a float32

// "map" or "arcs": what the page shows of a head. UsageError for a view that no page has.
std::string page_view(ViewKind kind);

// The number of cells of all maps of view.stage in every layer that was computed. UsageError for what a page cannot
// hold, not for its size.
double page_cells(const Trace& trace, const ViewSpec& view);

// How many maps those are.
double page_maps(const Trace& trace, const ViewSpec& view);

// {"stage":..., "layer":..., ..., "layers":[{"layer":0,"heads":[..],"queries":[..],"keys":[..],"values":"base64"}]},
// fit to stand in a script element. `progress` gets the share done and may be empty. Throws Cancelled.
void write_page_data(std::ostream& out, const Trace& trace, const ViewSpec& view, const CancelToken& cancel,
                     const std::function<void(double)>& progress);

// The words of the result, the first ones of a long text.
std::string page_title(const Trace& trace);

// From the first byte to </head>, with the style and the policy of contents.
void write_page_head(std::ostream& out, const std::string& title, Theme theme);

// A label of layers, and the buttons of a page.
void write_page_controls(std::ostream& out);

// The maps of all heads beside the large one, the line of the picked cell, and what is said without a script.
void write_page_maps(std::ostream& out);

}  // namespace headscope
