#include "app/frame/probe_file.h"

#include <imgui.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/session/state_json.h"
#include "app/ui/document_title.h"
#include "app/ui/guide_state.h"
#include "core/base/error.h"
#include "core/export/session_file.h"
#include "core/io/files_read.h"

namespace headscope {

namespace {

void add_session(nlohmann::json& json, const ProbedFrame& shown) {
  Session& session = shown.session;
  const ViewSpec view = view_spec_of(session.view, shown.settings.theme);
  json["session"] = nlohmann::json::parse(session_json(session.draft, view, window_json(session.view)));
  json["document"] = session.document.title;
  json["stale"] = session.stale();
  json["computing"] = session.computing();
  json["problem"] = session.problem() ? one_line(*session.problem()) : "";
  json["failure"] = session.failure();
  json["backend"] = "";
  json["tokens"] = 0;
  json["shapes"] = nlohmann::json::object();
  if (const auto trace = session.trace()) {
    json["backend"] = trace->backend_description;
    json["tokens"] = trace->query_len();
    for (const Stage& stage : trace->stages) {
      const Shape& shape = stage.tensor.shape();
      json["shapes"][std::string(stage_name(stage.id))] = std::vector<std::int64_t>(shape.begin(), shape.end());
    }
  }
  const Job job = session.jobs.current();
  json["job"] = {{"title", job.title}, {"running", job.running}, {"failed", job.failed}, {"result", job.result}};
  const MapTiles::Counts tiles = session.background.maps.counts();
  json["maps"] = {{"read", tiles.read}, {"on_device", tiles.on_device}};
}

void add_window(nlohmann::json& json, const ProbedFrame& shown) {
  json["frame"] = shown.frame;
  json["resting"] = shown.resting;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  json["mouse"] = {mouse.x, mouse.y};
  json["size"] = {shown.surface.width, shown.surface.height};
  json["rects"] = nlohmann::json::object();
  for (const auto& [name, rect] : shown.drawer.probe.rects) {
    json["rects"][name] = {rect.min.x, rect.min.y, rect.max.x, rect.max.y};
  }
  const ui::UiState& state = shown.drawer.state;
  json["focus"] = state.focus;
  const auto* document = state.panels.find<ui::DocumentState>();
  json["title"] = document == nullptr ? "" : document->title;
  json["dialog"] = static_cast<int>(state.dialog);
  json["notices"] = nlohmann::json::array();
  for (const ui::Notice& notice : state.notices) json["notices"].push_back(notice.fact + " " + notice.advice);
  const auto* tour = state.panels.find<ui::TourState>();
  const auto* callout = state.panels.find<ui::CalloutState>();
  json["tour"] = {{"step", tour == nullptr ? -1 : tour->step.value_or(-1)},
                  {"title", callout == nullptr ? "" : callout->title},
                  {"text", callout == nullptr ? "" : callout->text}};
}

void add_measurements(nlohmann::json& json, const FrameTiming& timing, const GlTextureStore& textures) {
  json["timing"] = {{"first_frame_ms", timing.first_frame_ms},
                    {"first_picture_ms", timing.first_picture_ms},
                    {"keystrokes_ms", timing.keystrokes_ms},
                    {"ui_ms", timing.ui_ms},
                    {"frame_ms", timing.frame_ms}};
  const TextureShare::Counts pictures = textures.share()->counts();
  json["shared_pictures"] = {{"made", pictures.made},
                             {"drawn", pictures.drawn},
                             {"brought_back", pictures.brought_back},
                             {"extents", pictures.extents}};
  json["uploads"] = textures.uploads();
}

}  // namespace

void note_frame(FrameTiming& timing, std::chrono::steady_clock::time_point started,
                std::chrono::steady_clock::time_point began, bool shows_result) {
  const auto now = std::chrono::steady_clock::now();
  const auto milliseconds = [&](auto since) { return std::chrono::duration<double, std::milli>(now - since).count(); };
  timing.frame_ms = milliseconds(began);
  if (timing.first_frame_ms < 0) timing.first_frame_ms = milliseconds(started);
  if (timing.first_picture_ms < 0 && shows_result) timing.first_picture_ms = milliseconds(started);
}

void write_probe(const std::string& path, const ProbedFrame& shown) {
  nlohmann::json json;
  add_window(json, shown);
  add_session(json, shown);
  add_measurements(json, shown.timing, shown.drawer.textures());
  const std::string beside = path + ".part";
  check_not_read(path);
  check_not_read(beside);
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    // A phrase may hold bytes that are no UTF-8 in the making; they must not stop the probe.
    out << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    if (!out.flush()) throw Error("--probe: " + beside + " cannot be written");
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) throw Error("--probe: " + path + " cannot be replaced");
}

}  // namespace headscope
