#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/session/problem_report.h"
#include "core/io/json_text.h"

#ifdef HEADSCOPE_HAS_GL
#include "app/gl/device_facts.h"
#endif

namespace headscope::cli {

namespace {

OpenGlFacts opengl_facts() {
#ifdef HEADSCOPE_HAS_GL
  const DeviceFacts facts = device_facts_without_window();
  return {facts.renderer, facts.vendor, facts.version, facts.failure};
#else
  return {"", "", "", "this program was built without it"};
#endif
}

void doctor(const Arguments& given, const CancelToken&) {
  const std::vector<ReportLine> lines = problem_report(opengl_facts());
  if (!given.has("json")) return print(report_text(lines));
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const ReportLine& line : lines) json[line.key] = line.value;
  print(json_dump(json, 2) + "\n");
}

}  // namespace

Command doctor_command() {
  CommandSpec spec;
  spec.name = "doctor";
  spec.usage = "[--json]";
  spec.summary =
      "Says what a report of a problem needs: version, system, processor, OpenGL driver, fonts, kept files, and the "
      "last "
      "crash of the window. No phrase and no model is named.";
  spec.groups = {{"Output", {{"json", "", "As JSON, a text for each line."}}}};
  spec.examples = {"headscope-cli doctor", "headscope-cli doctor --json"};
  return {spec, doctor};
}

}  // namespace headscope::cli
