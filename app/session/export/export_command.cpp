// The command line that writes what a choice writes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/export/export_parts.h"
#include "core/request/request_text.h"

namespace headscope {

std::string equivalent_command(const ExportChoice& choice, const Trace& trace, const ViewState& view) {
  if (choice.subject == ExportSubject::window || choice.subject == ExportSubject::session) return "";
  if (choice.subject == ExportSubject::difference) return "";
  if (const auto wanted = figure_of(choice, trace, view)) {
    const auto spec = std::optional(fitted_view(*wanted, trace));
    std::string command = shell_command_of(trace.request, "headscope-cli render");
    command += fmt::format(" --view {}", view_kind_name(spec->view));
    const Stage* const drawn = trace.find(spec->stage);
    const bool of_a_head = spec->view == ViewKind::head || spec->view == ViewKind::neurons ||
                           spec->view == ViewKind::sensitivity ||
                           (spec->view == ViewKind::stage && drawn != nullptr && drawn->tensor.rank() == 4);
    if (of_a_head) command += fmt::format(" --head {}", spec->head);
    if (spec->view == ViewKind::sensitivity) {
      command += fmt::format(" --at {}", fmt::join(spec->at, ","));
      if (spec->by) command += fmt::format(" --by {}", sensitivity_by_name(*spec->by));
    }
    if (spec->token) command += fmt::format(" --token {}", *spec->token);
    if (spec->view == ViewKind::arcs) {
      if (spec->heads_shown) command += fmt::format(" --heads-shown {}", fmt::join(*spec->heads_shown, ","));
      if (spec->hide_below != ViewSpec{}.hide_below) command += fmt::format(" --hide-below {}", spec->hide_below);
      if (spec->sentences != SentencePair::all) {
        command += fmt::format(" --sentences {}", sentence_pair_name(spec->sentences));
      }
    }
    if (spec->stage != StageId::weights && spec->view != ViewKind::concat)
      command += fmt::format(" --stage {}", stage_name(spec->stage));
    if (spec->colormap) command += fmt::format(" --colormap {}", color_map_name(*spec->colormap));
    if (spec->range == RangeKind::row) command += " --range row";
    if (spec->range == RangeKind::fixed) command += fmt::format(" --range {},{}", spec->range_low, spec->range_high);
    if (spec->log_scale) command += " --log";
    if (!spec->labels) command += " --labels off";
    if (spec->theme == Theme::light) command += " --theme light";
    return command + " --out " + shell_quoted(choice.file);
  }
  if (choice.subject == ExportSubject::sensitivity) {
    const ViewSpec spec = sensitivity_spec(trace, view);
    return shell_command_of(trace.request, "headscope-cli sensitivity") +
           fmt::format(" --stage {} --at {} --json", stage_name(spec.stage), fmt::join(spec.at, ","));
  }
  const bool table = choice.csv_long && makes_folder(choice);
  const Stage* const written = trace.find(exported_stage(choice, view));
  const bool of_a_head = is_one_matrix(choice) && written != nullptr && written->tensor.rank() == 4;
  const std::string part = of_a_head ? fmt::format(" --region {},{},:,:", view.batch, view.head) : "";
  return shell_command_of(trace.request, "headscope-cli run") +
         fmt::format(" --export {} --format {}{}{} --out DIR", stage_name(exported_stage(choice, view)),
                     ending_of(choice.format), table ? " --csv long" : "", part);
}

}  // namespace headscope
