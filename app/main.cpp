// headscope: the window. Everything it wires together lies in app/frame.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <new>

#include "app/frame/memory_recovery.h"
#include "app/frame/options.h"
#include "app/frame/report_command.h"
#include "app/frame/screenshot.h"
#include "app/frame/window_loop.h"
#include "app/memory/allocation_guard.h"
#include "app/memory/end_without_memory.h"
#include "app/memory/returned_memory.h"
#include "app/platform/end_signals.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/base/version.h"

int main(int argc, char** argv) {
  using namespace headscope;
  const auto started = std::chrono::steady_clock::now();
  return_large_blocks();
  keep_memory_reserve(kWindowReserve);
  end_politely_without_memory("error: ");
  try {
    const Options options = parse_options(argc, argv);
    if (options.help) {
      fmt::print("{}", help_text());
    } else if (options.version) {
      fmt::print("headscope {}\n", kVersion);
    } else if (!options.screenshot.empty()) {
      draw_screenshot(options);
      fmt::print("{}\n", options.screenshot);
    } else {
      report_crashes();
      hold_end_signals();
      run_window(options, started);
    }
    return 0;
  } catch (const UsageError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    say_memory_is_missing();
    return 3;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    // A library that had no memory may have said something else.
    if (failed_allocations() > 0) {
      say_memory_is_missing();
      return 3;
    }
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
