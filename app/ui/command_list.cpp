#include "app/ui/command_list.h"

#include <iterator>

#include "app/ui/main_view.h"

namespace headscope::ui {

namespace {

using Id = CommandId;

const CommandInfo kAboveMainViews[] = {
    {Id::new_session, "New", "File", "Ctrl+N",
     "Starts over as at the first start: demo:stories, and four ways to begin above it."},
    {Id::open_file, "Open...", "File", "Ctrl+O",
     "Opens a session, an exported picture, the weights of a layer, a GGUF model, an input x or a corpus; dropping the "
     "file does the same."},
    {Id::open_folder, "Open folder...", "File", "Ctrl+Shift+O",
     "Opens a checkpoint: a folder with config.json, weights and a tokenizer, or a GGUF file; dropping it does "
     "the same."},
    {Id::open_phrase, "Open phrase...", "File", "", "Takes the words of a text file; dropping a .txt does the same."},
    {Id::corpus_list, "Open the list of a corpus...", "File", "",
     "Opens the phrases that were scanned, so that the examples of the view Corpus have their words."},
    {Id::paste_session, "Open from the clipboard", "File", "",
     "Opens the session or the recipe that is on the clipboard as text; undo brings back what was open."},
    {Id::examples, "Examples", "File", "",
     "Says what each of the five tutorials shows, and opens one with its mistakes marked."},
    {Id::compare_tensors, "Compare with my tensors...", "File", "",
     "Says which known mistake, if any, turns these numbers into those of your own code."},
    {Id::save_session, "Save session...", "File", "Ctrl+S", "Writes the request and the view as JSON."},
    {Id::quit, "Quit", "File", "Ctrl+Q", "Closes the window; the session is restored at the next start."},

    {Id::undo, "Undo", "Edit", "Ctrl+Z", "Takes the last change of the request back, typing included."},
    {Id::redo, "Redo", "Edit", "Ctrl+Shift+Z", "Does again what was undone."},
    {Id::copy_cell, "Copy the picked number", "Edit", "Ctrl+C", "Puts the number of the picked cell on the clipboard."},
    {Id::copy_row, "Copy its row", "Edit", "Ctrl+Alt+C", "Puts the picked row on the clipboard, with its tokens."},
    {Id::copy_matrix, "Copy its matrix", "Edit", "", "Puts the matrix of the inspector on the clipboard, with tokens."},
    {Id::copy_summary, "Copy the head in words", "Edit", "",
     "Puts on the clipboard what the selected head and each of its rows attend to, as sentences."},
    {Id::say_head, "Read the head aloud", "Edit", "",
     "Speaks what the selected head and the picked row attend to, as sentences, by speech-dispatcher."},
    {Id::play_row, "Play the picked row", "Edit", "",
     "Plays the weights of the picked row: a note a key, from low to high, as loud as its weight is large."},
    {Id::corpus_table, "Copy the heads of the corpus", "Edit", "",
     "Puts all heads of the open .hsagg and their means on the clipboard, as CSV."},
    {Id::copy_command, "Copy as a command", "Edit", "Ctrl+Shift+C",
     "Puts the headscope-cli command of this request on the clipboard."},
    {Id::interventions, "Interventions", "Edit", "Ctrl+I",
     "Goes to the list of what is changed by hand: edits, heads that are off or held, factors, painted cells."},
    {Id::head_menu, "The selected head...", "Edit", "Ctrl+H",
     "Opens its menu, as a right click on it does: switch it off, hold its weights, multiply its query or key."},
    {Id::focus_phrase, "Edit the phrase", "Edit", "Ctrl+L", "Sets the caret into the phrase."},
    {Id::settings, "Settings...", "Edit", "Ctrl+Comma",
     "Language of the tour and the examples, theme, size of text, file dialogs."},

    {Id::choose_weights, "Weights from a file...", "Model", "",
     "Computes with one attention layer of a .safetensors or .pt file."},
    {Id::toggle_key_phrase, "Key or second phrase", "Model", "Ctrl+K",
     "Takes keys and values from a second phrase; gives a model that reads pairs a second text, and a decoder "
     "beside an encoder its text."},
    {Id::next_problem, "Next problem", "Model", "F8", "Goes to the control that keeps the request from running."},
    {Id::pin, "Pin the result as A", "Model", "Ctrl+Shift+D",
     "Keeps the result on screen, to compare what you edit next with it. It is let go with the window."},
    {Id::unpin, "Unpin A", "Model", "", "Lets the pinned result go."},
    {Id::sweep_list, "Means over a list of phrases...", "Model", "",
     "The view Sweep sets parts to their means over all phrases of a file, in place of those over this text."},
    {Id::recompute, "Compute again", "Model", "F5", "Reads all files anew and computes."},
    {Id::compare_backends, "Compare backends", "Model", "",
     "Computes the same request on the CPU and on the GPU: how long each takes, how far they differ."},

    {Id::palette, "Commands...", "Go", "Ctrl+P",
     "Finds everything by name: commands, options and their values, settings, files, heads, tokens, cells."},
    {Id::go_to_cell, "Go to cell...", "Go", "Ctrl+G", "Picks a query and a key by number or token."},
    {Id::explain_back, "Back to the number before", "Go", "Alt+Left",
     "Returns to the number from which you jumped to an operand."},
    {Id::explain_forward, "Forward again", "Go", "Alt+Right", "Goes where the way back came from."},
    {Id::next_head, "Next head", "Go", "]", "Shows the next head."},
    {Id::previous_head, "Previous head", "Go", "[", "Shows the head before."},
    {Id::next_stage, "Next stage", "Go", "Ctrl+PageDown", "Selects the next tensor of the pipeline."},
    {Id::previous_stage, "Previous stage", "Go", "Ctrl+PageUp", "Selects the tensor before."},
    {Id::update_before, "Update before", "Go", "", "Shows the result that the followed file had before."},
    {Id::next_update, "Next update", "Go", "", "Shows the result that the followed file had next."},
    {Id::newest_update, "Newest update", "Go", "", "Follows the file again."},
    {Id::play_updates, "Play the updates", "Go", "",
     "Shows the results of the followed file one after the other; or stops."},
    {Id::find_cell, "Find a number...", "Go", "Ctrl+F",
     "Goes from cell to cell of the large picture by a condition: > 0.9, < 0, = 0.5, nan, inf, row max."},
    {Id::fit_heatmap, "Fit the picture", "Go", "Ctrl+Shift+F", "Shows the whole of the large picture again."},
    {Id::toggle_request, "Request panel", "View", "F9", "Opens or closes the panel of the request."},
    {Id::toggle_pipeline, "Stages", "View", "F6", "Shows the stages large or by their names only."},
    {Id::toggle_concat, "Concat panel", "View", "F7", "Opens or closes concat and output."},
    {Id::toggle_inspector, "Inspector", "View", "F4",
     "Opens or closes the inspector; beside heads in a narrow window."},
    {Id::unfold_all, "Unfold all", "View", "F12", "Unfolds every panel and all views; again folds what was folded."},
};

const CommandInfo kBelowMainViews[] = {
    {Id::toggle_theme, "Dark or light", "View", "Ctrl+T", "Changes the theme."},
    {Id::scale_up, "Larger", "View", "Ctrl+Plus", "Makes everything a tenth larger."},
    {Id::scale_down, "Smaller", "View", "Ctrl+Minus", "Makes everything a tenth smaller."},
    {Id::scale_reset, "Normal size", "View", "Ctrl+0", "The size that the screen asks for."},

    {Id::export_dialog, "Export...", "Export", "Ctrl+E", "Writes a picture, CSV, NPY, safetensors or a session."},
    {Id::worksheet, "Worksheet...", "Export", "",
     "Sheets of attention to compute by hand, each with numbers of its own, and their solutions."},
    {Id::handout, "Handout...", "Export", "",
     "Writes the lesson for students: every stop with its words and its map, on paper or as a page for a browser."},
    {Id::update_frames, "Frames of the updates", "Export", "",
     "Writes a numbered picture of each result of the followed file that is kept."},
    {Id::lesson_pictures, "Pictures of the lesson", "Export", "",
     "Writes a numbered picture of the window for each stop of the lesson."},
    {Id::help, "Help and keys", "Help", "F1", "The tour, and every command and key by topic."},
    {Id::guide, "Guide", "Help", "Shift+F1", "Pages with a task each, a glossary, and a search over them."},
    {Id::start, "Start", "Help", "",
     "Shows where one may begin: tutorials, small models, your checkpoint, your tensors."},
    {Id::tour, "Tour", "Help", "", "Goes through the pipeline on your own phrase, step by step."},
    {Id::toggle_lesson, "Lesson", "Help", "Ctrl+Shift+L",
     "Records stops for others, each a view of your phrase and your words; opens or closes the strip."},
    {Id::add_stop, "Add a stop", "Help", "Ctrl+Shift+K",
     "Adds what is shown now to the lesson, which is kept with the session."},
    {Id::play_lesson, "Play the lesson", "Help", "", "Goes from stop to stop, with their words."},
    {Id::report_problem, "Report a problem", "Help", "",
     "Puts on the clipboard what a report needs: version, driver, fonts, the last crash; no phrase."},
    {Id::about, "About Headscope", "Help", "", "Version, licence, folders."},
    {Id::select_head, "Head 0 to 9", "", "Alt+0", "Alt and a digit show that head."},
};

}  // namespace

const std::vector<CommandInfo>& command_list() {
  static const std::vector<CommandInfo> list = [] {
    std::vector<CommandInfo> rows(std::begin(kAboveMainViews), std::end(kAboveMainViews));
    for (const MainViewInfo& info : main_views()) {
      if (info.command != Id::none) rows.push_back({info.command, info.name, "View", info.shortcut, info.help});
    }
    rows.insert(rows.end(), std::begin(kBelowMainViews), std::end(kBelowMainViews));
    return rows;
  }();
  return list;
}

}  // namespace headscope::ui
