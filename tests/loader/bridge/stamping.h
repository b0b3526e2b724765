// The plugins that tiny.cpp makes, and a fixture that stamps them into a folder of its own through the measuring child.
#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "loader/elf/elf_facts.h"
#include "loader/rules/manifest.h"
#include "loader/system/stamp.h"

namespace myops::system {

namespace fs = std::filesystem;

inline std::string plugin(const std::string& name) { return std::string(TINY_FOLDER) + "/lib" + name + ".so"; }

inline std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline elf::ElfFacts facts_of(const std::string& path) {
  const auto content = read(path);
  return elf::parse_elf(elf::SpanBytes(std::as_bytes(std::span(content))), elf::Depth::kIdentity).value();
}

inline rules::Manifest manifest_of(const std::string& path) {
  return rules::parse_manifest(facts_of(path).manifest.value()).value();
}

class Stamping : public testing::Test {
 protected:
  void SetUp() override {
    auto name = (fs::temp_directory_path() / "myops-stamp-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string output(const std::string& name) const { return (folder_ / name).string(); }

  StampOptions options_for(const std::string& name) const {
    StampOptions options;
    options.file = plugin(name);
    options.output = output(name + ".so");
    options.torch_dir = TORCH_FOLDER;
    options.version = "1.0";
    options.measure_command = {MEASURE_CHILD};
    return options;
  }
  // Path of the schema library, stamped.
  std::string stamped_schema() const {
    const auto result = stamp(options_for("tiny_schema"));
    EXPECT_TRUE(result.has_value()) << (result ? "" : to_text(result.error()));
    return output("tiny_schema.so");
  }
  Result<StampResult> stamp_with_schema(const std::string& name) const {
    auto options = options_for(name);
    options.schema = stamped_schema();
    return stamp(options);
  }
  // Why it must not be stamped.
  Reason refusal(const StampOptions& options) const {
    const auto result = stamp(options);
    EXPECT_TRUE(result.has_error());
    EXPECT_FALSE(fs::exists(options.output));
    return result.error();
  }

  fs::path folder_;
};

}  // namespace myops::system
