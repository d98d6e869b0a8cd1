// The commands of headscope-cli.
#pragma once

#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "core/base/cancel.h"

namespace headscope::cli {

struct Command {
  CommandSpec spec;
  void (*run)(const Arguments&, const CancelToken&);  // returns when all is done and printed; throws on failure
};

Command run_command();          // run_command.cpp
Command render_command();       // render_command.cpp
Command explain_command();      // explain_command.cpp
Command sensitivity_command();  // sensitivity_command.cpp
Command attribute_command();    // attribute_command.cpp
Command score_command();        // score_command.cpp
Command diagnose_command();     // diagnose_command.cpp
Command compare_command();      // compare_command.cpp
Command gradients_command();    // gradients_command.cpp
Command sweep_command();        // sweep_command.cpp
Command circuits_command();     // circuits_command.cpp
Command precision_command();    // precision_command.cpp
Command script_command();       // script_command.cpp
Command info_command();         // info_command.cpp
Command tokenize_command();     // tokenize_command.cpp
Command generate_command();     // generate_command.cpp
Command bench_command();        // bench_command.cpp
Command scan_command();         // scan_command.cpp
Command merge_command();        // merge_command.cpp
Command report_command();       // report_command.cpp
Command doctor_command();       // doctor_command.cpp
Command worksheet_command();    // worksheet_command.cpp
Command handout_command();      // handout_command.cpp
Command manual_command();       // manual_command.cpp

// In the order of --help.
const std::vector<Command>& commands();

// Runs `words` (without the program's name). Throws UsageError, Error, ProblemError and others; main turns them into
// exit codes.
void run_command_line(const std::vector<std::string>& words, const CancelToken& cancel);

}  // namespace headscope::cli
