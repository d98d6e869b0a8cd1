#include "app/ui/aloud/aloud.h"

#include <optional>
#include <span>
#include <vector>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/shortcuts.h"
#include "app/ui/stage_facts.h"
#include "core/heads/head_words.h"
#include "core/heads/row_sound.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kMostRowsSaid = 12;

// A row of weights of the shown result.
struct Row {
  std::int64_t batch = 0, head = 0, query = 0;
  friend bool operator==(const Row&, const Row&) = default;
};

// The row that was picked when it was looked at last; nullopt: not looked at yet.
struct RowsHeard {
  std::optional<std::optional<Row>> last;
};

std::optional<Row> picked_row(const Ui& ui) {
  const auto trace = ui.session.trace();
  const ViewState& view = ui.session.view;
  if (trace == nullptr || trace->find(StageId::weights) == nullptr || !view.cell) return std::nullopt;
  if (view.cell->row < 0 || view.cell->row >= trace->query_len() || trace->key_len() == 0) return std::nullopt;
  const Selection selection = selection_of(view, *trace);
  return Row{selection.batch, selection.head, view.cell->row};
}

void play(Ui& ui, const Row& row) {
  if (!ui.play) return;
  const Tensor matrix = slice_matrix(*ui.session.trace(), StageId::weights, row.batch, row.head);
  std::vector<float> weights(static_cast<std::size_t>(matrix.dim(1)));
  matrix.read(Region{{row.query, row.query + 1}, {0, matrix.dim(1)}}, weights);
  ui.play(wav_bytes(row_sound(weights)));
}

}  // namespace

std::string words_to_say(const Ui& ui) {
  if (!summary_fits_clipboard(ui.session)) return "";
  const auto trace = ui.session.trace();
  const Selection selection = selection_of(ui.session.view, *trace);
  const HeadWords words = head_words(*trace, selection.batch, selection.head);
  std::string text = words.head + ".";
  const std::optional<Row> row = picked_row(ui);
  if (row) return text + ' ' + words.rows[static_cast<std::size_t>(row->query)] + '.';
  if (trace->query_len() > kMostRowsSaid) return text;
  for (const std::string& each : words.rows) text += ' ' + each + '.';
  return text;
}

void say_head(Ui& ui) {
  const std::string text = words_to_say(ui);
  if (ui.say && !text.empty()) ui.say(text);
}

void play_row(Ui& ui) {
  if (const std::optional<Row> row = picked_row(ui)) play(ui, *row);
}

void follow_rows(Ui& ui) {
  RowsHeard& heard = ui.state.panels.get<RowsHeard>();
  const std::optional<Row> row = picked_row(ui);
  const bool first = !heard.last.has_value(), same = !first && *heard.last == row;
  heard.last = row;
  if (ui.settings.row_sound && row && !first && !same) play(ui, *row);
}

}  // namespace headscope::ui
