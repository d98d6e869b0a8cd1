// What the cases of exports share: a trace, a view of it, and a folder to write to.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "app/session/export/export_job.h"
#include "core/attention/engine.h"

namespace headscope {

// A causal layer of two heads over three words, and a folder that is gone after the case.
class ExportJob : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("headscope-export-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Request request;
    request.phrase = "uno, dos tres";
    request.d_model = 16;
    request.heads = 2;
    request.mask = {{MaskTerm::Kind::causal, 0, ""}};
    Engine engine;
    trace_ = engine.run(request, CancelToken{});
    choice_.folder = folder_.string();
    choice_.scale = 1;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Exports trace_ to folder_ / name, and returns what is said then.
  std::string write(ExportSubject subject, ExportFile format, const std::string& name) {
    choice_.subject = subject;
    choice_.format = format;
    choice_.file = name;
    return write_export(choice_, *trace_, view_, CancelToken{}, {});
  }
  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_ / name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
  std::shared_ptr<const Trace> trace_;
  ViewState view_;
  ExportChoice choice_;
};

}  // namespace headscope
