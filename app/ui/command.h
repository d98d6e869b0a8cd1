// The commands that panels push; app/ui/shell.cpp and the frame's caller execute them after the panels.
#pragma once

#include <string>

namespace headscope::ui {

enum class CommandId {
  none,
  new_session,
  open_file,
  open_phrase,
  open_path,
  open_folder,
  open_kept_session,
  save_session,
  export_dialog,
  quit,
  undo,
  redo,
  copy_cell,
  copy_row,
  copy_matrix,
  copy_summary,
  say_head,
  play_row,
  copy_command,
  toggle_theme,
  scale_up,
  scale_down,
  scale_reset,
  toggle_request,
  toggle_pipeline,
  toggle_concat,
  toggle_inspector,
  unfold_all,  // shows every panel unfolded, and again as they were
  toggle_layers,
  toggle_script,
  toggle_bug_lab,
  compare_tensors,
  interventions,
  head_menu,
  mask_editor,
  toggle_compare,
  toggle_sensitivity,
  toggle_weights,
  toggle_text,
  toggle_lens,
  toggle_sweep,
  toggle_gradients,
  toggle_score,
  toggle_circuits,
  toggle_scatter,
  toggle_generate,
  toggle_corpus,
  corpus_list,   // argument: the list of its phrases; "": asks for it
  sweep_list,    // argument: the list over whose phrases means are taken; "": asks for it
  corpus_table,  // its heads and metrics, for the clipboard
  pin,
  unpin,
  palette,
  go_to_cell,
  help,
  guide,  // argument: the id of a page, or "" for the one that was read last
  tour,
  start,  // shows the cards of the start, or closes them
  examples,
  open_example,
  about,
  next_problem,
  focus_phrase,
  recompute,
  compare_backends,
  settings,
  fit_heatmap,
  find_cell,
  next_head,
  previous_head,
  next_stage,
  previous_stage,
  set_option,
  show_option,  // opens the request at the control of an option
  show_window_picture,
  choose_weights,
  toggle_key_phrase,
  select_head,
  explain_back,
  explain_forward,
  toggle_follow,
  report_problem,
  one_layer,
  toggle_lesson,
  add_stop,
  play_lesson,
  lesson_pictures,
  update_before,
  next_update,
  newest_update,
  play_updates,
  update_frames,
  paste_session,
  worksheet,
  handout,
};

struct Command {
  CommandId id = CommandId::none;
  std::string argument;  // open_path: the path; set_option: "heads=8"; show_option: "mask"; select_head: "3";
                         // open_example: its id; open_kept_session: KeptSession::suffix
};

}  // namespace headscope::ui
