#include "app/frame/report_command.h"

#include "app/frame/crash_handler.h"
#include "app/frame/start.h"
#include "app/gl/device_facts.h"
#include "app/session/problem_report.h"

namespace headscope {

void copy_problem_report(const Surface& surface, ui::UiState& state) {
  const DeviceFacts facts = device_facts();
  surface.set_clipboard(report_text(problem_report({facts.renderer, facts.vendor, facts.version, facts.failure})));
  add_notice(state, ui::Notice::Kind::info, "report", "The report is on the clipboard.",
             "Paste it into the message that says what you did and what you saw.");
}

void report_crashes() {
  install_crash_handler(last_crash_path());
}

}  // namespace headscope
