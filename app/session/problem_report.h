// What a report of a problem has to say about the machine: `headscope-cli doctor`, and Help > Report a problem.
#pragma once

#include <string>
#include <vector>

namespace headscope {

// What the OpenGL driver says of itself; `failure`, a sentence, where there is none.
struct OpenGlFacts {
  std::string renderer, vendor, version;
  std::string failure;
};

struct ReportLine {
  std::string key;    // of the JSON: "last_crash"
  std::string label;  // "Last crash"
  std::string value;  // may have several lines; "" where there is nothing to tell
};

// The version, the system, the processor with its vector width, memory, OpenGL, the fonts of each role, the files that
// are kept, and the last crash. No phrase and no name of a model.
std::vector<ReportLine> problem_report(const OpenGlFacts& opengl);

// A line for each, "Label: value", for a message; lines of several are indented below their label.
std::string report_text(const std::vector<ReportLine>& lines);

// The file in which the window tells how it ended (app/frame/crash_handler.h); "" where nothing is kept.
std::string last_crash_path();

}  // namespace headscope
