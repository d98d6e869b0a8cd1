// The left panel, which edits the request. Each section is in a file of its own; all place their rows through
// RequestRows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

// What the panel remembers beside which of its rows are unfolded (app/ui/unfolded_rows.h).
struct RequestPanelState {
  float content_height = 0;  // of all rows in the last frame, in pixels
  // "number..." was picked: its field stays, although a line of the list may have the same number.
  bool own_scale = false, own_softcap = false, own_fill = false;
  std::string typed_edit;  // in the field that adds the edit of a number
  // Frames that still bring the focus into sight: a panel that just opened knows its height only after the first.
  int reveal_frames = 0;
};

// Rows from the top down. A row's control is followed by the box of the problem that names its option.
struct RequestRows {
  Ui& ui;
  Rect area;  // of the panel's content
  float y = 0;
  bool after_full_row = false;  // the last row has the full width: its section ends 2 px lower
  // One section beside its title instead: controls stand beside each other in lines of a row's height, and boxes of
  // problems are left to the notices. `next`: where the next control stands.
  bool across = false;
  ImVec2 next{0, 0};
  std::string across_state = {};  // of the section

  // "Mask                10 of 25 hidden": the line above, the title, the state at the right.
  void section(const char* title, const std::string& state = "");
  // Label and the rectangle of a control, 24 high in a row of 30.
  Rect control(const char* label);
  // A control over the whole width.
  Rect full(float height = size::control_height);
  // A value that the user cannot change here: no box, a lock, the reason as tooltip. Without a reason there is no lock.
  void locked(const char* label, const std::string& value, const char* why);
  // The box below the last control when the session's problem is about one of its options.
  void problem(const std::string& option);
  bool has_problem(const std::string& option) const;
  // Why no control of `options` can act: what a capture holds stays as it is. Null when one can, and where one has
  // another value than its default, which may be taken back.
  const char* lock(std::initializer_list<const char*> options) const;
  // The next place in a line of controls that is so wide; the line below where it has no room.
  Rect place_across(float width);
  // State of a control for `option`: problem edge and tooltip.
  ControlState state(const std::string& option, const char* tooltip, bool enabled = true) const;
  void end_section();
};

void draw_model_section(RequestRows& rows);
// request_weights.cpp, rows of the Model section: the combo of weights, and the values that a checkpoint fixes.
bool is_checkpoint(const Request& draft);
void draw_weights(RequestRows& rows);
void draw_checkpoint(RequestRows& rows);
// request_decoder.cpp: which attention of a model with an encoder and a decoder is shown; nothing for other models.
bool has_decoder(const Ui& ui);
bool has_pool(const Ui& ui);
void draw_attention_lists(RequestRows& rows);
// Which layer the panels show, one of `layers`.
void draw_layer(RequestRows& rows, const std::vector<std::int64_t>& layers);
// request_capture.cpp: what a capture holds, and which of its layers are missing.
void draw_capture(RequestRows& rows);
void draw_mask_section(RequestRows& rows);
void draw_scores_section(RequestRows& rows);
// How the list names the scale that is not chosen: the model's own, else 1/sqrt(head_dim); head_dim 0: not known yet.
std::string automatic_scale_text(std::optional<double> of_model, std::int64_t head_dim);
void draw_merge_section(RequestRows& rows);
void draw_keys_section(RequestRows& rows);
void draw_interventions_section(RequestRows& rows);
// Opens the panel with the focus on the interventions.
void show_interventions(Ui& ui);
void draw_compute_section(RequestRows& rows);
void draw_command_section(RequestRows& rows);
void draw_shown_section(RequestRows& rows);

// Closes the panel where it lies over others, in a narrow window. False when it does not.
bool close_request_over(Ui& ui);

// A dim line with a triangle that opens more rows; its state is kept under `name`. True while open.
bool disclosure(RequestRows& rows, const std::string& name, const std::string& label, bool forced_open);

}  // namespace headscope::ui
