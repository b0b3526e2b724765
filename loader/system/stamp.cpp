#include "loader/system/stamp.h"

#include <filesystem>
#include <optional>
#include <system_error>

#include "loader/elf/elf_facts.h"
#include "loader/elf/fatbinary.h"
#include "loader/system/file_bytes.h"
#include "loader/system/probe.h"
#include "loader/system/stamp_exchange.h"
#include "loader/system/stamp_manifest.h"
#include "loader/system/stamp_measure.h"
#include "loader/system/stamp_note.h"
#include "loader/system/stamp_registrations.h"
#include "loader/system/torch.h"

namespace myops::system {
namespace {

std::string absolute(const std::string& path) {
  if (path.empty()) return {};
  std::error_code error;
  const auto full = std::filesystem::absolute(path, error);
  return error ? path : full.string();
}

std::string resolved(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

// The same reason, with the file it is about: several are read.
Reason about(const std::string& path, Reason reason) {
  reason.subject = reason.subject.empty() ? path : path + ": " + reason.subject;
  return reason;
}

struct Content {
  std::vector<std::byte> bytes;
  elf::ElfFacts facts;
  elf::DeviceCode device_code;
};

Result<Content> read_plugin(const std::string& path) {
  const auto file = FileBytes::open(path);
  if (!file) return file.error();
  Content content;
  content.bytes.resize((*file)->size());
  if (!(*file)->read(0, content.bytes)) {
    return Reason{
        .code = Code::kUnreadable, .subject = path, .expected = {}, .found = "it changed meanwhile", .hint = {}};
  }
  auto facts = elf::parse_elf(elf::SpanBytes(content.bytes), elf::Depth::kOpening);
  if (!facts) return about(path, facts.error());
  if (facts->gave_up) return about(path, *facts->gave_up);
  if (const auto there = require_note(*facts, path); !there) return there.error();
  content.facts = std::move(*facts);
  auto device_code = elf::read_device_code(elf::SpanBytes(content.bytes));
  if (!device_code) return about(path, device_code.error());
  content.device_code = std::move(*device_code);
  return content;
}

// The manifest of a library; none where it has no note or an empty one.
Result<std::optional<rules::Manifest>> read_manifest(const std::string& path) {
  const auto file = FileBytes::open(path);
  if (!file) return file.error();
  const auto facts = elf::parse_elf(**file, elf::Depth::kIdentity);
  if (!facts) return about(path, facts.error());
  if (facts->manifest.value_or("").empty()) return std::optional<rules::Manifest>{};
  auto manifest = rules::parse_manifest(*facts->manifest);
  if (!manifest) return about(path, manifest.error());
  return std::optional(std::move(*manifest));
}

Reason has_no_manifest(const std::string& file) {
  return {.code = Code::kUnstamped,
          .subject = file,
          .expected = "a stamped library to take the registrations of",
          .found = "no manifest",
          .hint = "stamp that library first"};
}

Registrations registrations_of(const rules::Manifest& manifest) {
  Registrations registrations;
  registrations.defines = manifest.defines;
  registrations.libraries = manifest.libraries;
  registrations.kernels = manifest.kernels;
  registrations.fallbacks = manifest.fallbacks;
  return registrations;
}

Result<Registrations> measure_in_child(const MeasureOptions& what, const StampOptions& options) {
  auto arguments = options.measure_command;
  arguments.push_back(to_text(what));
  const auto outcome = run_child(arguments, options.time_limit);
  if (!outcome) return outcome.error();
  if (auto failure = failure_of(*outcome, options.file)) return *failure;
  return parse_measured(outcome->output, options.file);
}

Reason dangles(const StampOptions& options, const Registrations& registrations) {
  std::string operators;
  for (const auto& op : registrations.dangling) {
    if (!operators.empty()) operators += ", ";
    operators += op;
  }
  return {.code = Code::kSchemaMissing,
          .subject = operators,
          .expected = "definitions of all that " + options.file + " has kernels for",
          .found = options.schema.empty() ? "no schema library was named" : "not " + options.schema + " either",
          .hint = "name the library that defines them with --schema, or mend the names"};
}

Reason registers_nothing(const std::string& file) {
  return {.code = Code::kKernelNotRegistered,
          .subject = file,
          .expected = "an operator, a kernel or a fallback",
          .found = "nothing",
          .hint =
              "is its TORCH_LIBRARY block compiled and linked in? Of a static library the linker takes only what is "
              "named"};
}

Result<Registrations> measured(const StampOptions& options, const rules::TorchFacts& torch) {
  const MeasureOptions what{
      .file = absolute(options.file), .schema = absolute(options.schema), .torch_dir = torch.lib_dir};
  auto registrations = options.measure_command.empty() ? measure(what) : measure_in_child(what, options);
  if (registrations && !registrations->dangling.empty()) return dangles(options, *registrations);
  return registrations;
}

Result<rules::TorchFacts> torch_for(const StampOptions& options) {
  auto choice = choose_torch(options.torch_dir);
  if (!choice) return choice.error();
  if (choice->torch) return *choice->torch;
  return Reason{.code = Code::kTorchNotFound,
                .subject = options.file,
                .expected = "the torch it was built for",
                .found = "no torch",
                .hint = "name it with --torch"};
}

// Where a library gives its registrations, it gives what else was not said too: it is the same plugin for another
// machine.
void take_defaults(const rules::Manifest& from, StampOptions& options) {
  if (options.name.empty()) options.name = from.name;
  if (options.version.empty()) options.version = from.version;
  if (options.op_namespace.empty()) options.op_namespace = from.op_namespace;
  if (options.set.empty()) options.set = from.set;
}

Result<StampResult> write_stamped(const StampOptions& options, Content content, rules::Manifest manifest) {
  const auto text = rules::to_json_text(manifest);
  // What no load would take must not leave the build.
  if (const auto read = rules::parse_manifest(text); !read) return about(options.file, read.error());
  if (const auto written = write_note(content.bytes, content.facts, text, options.file); !written) {
    return written.error();
  }
  StampResult result{.file = options.output.empty() ? options.file : options.output,
                     .manifest = std::move(manifest),
                     .bytes = text.size(),
                     .reserved = content.facts.manifest_capacity};
  // In place means the file itself, not a link that leads to it.
  const auto place = options.output.empty() ? resolved(options.file) : options.output;
  if (const auto placed = replace_file(place, content.bytes, options.file); !placed) return placed.error();
  return result;
}

}  // namespace

Result<StampResult> stamp(const StampOptions& given) {
  auto options = given;
  const auto content = read_plugin(options.file);
  if (!content) return content.error();
  const auto torch = torch_for(options);
  if (!torch) return torch.error();
  const auto& source = options.from.empty() ? options.schema : options.from;
  auto base = source.empty() ? Result<std::optional<rules::Manifest>>(std::nullopt) : read_manifest(source);
  if (!base) return base.error();
  if (!options.from.empty()) {
    if (!*base) return has_no_manifest(options.from);
    take_defaults(**base, options);
  }
  const auto registrations = options.from.empty() ? measured(options, *torch) : registrations_of(**base);
  if (!registrations) return registrations.error();
  if (registrations->empty()) return registers_nothing(options.file);
  const auto manifest = make_manifest({options, content->facts, content->device_code, *registrations, *torch, *base});
  if (!manifest) return manifest.error();
  return write_stamped(options, *content, *manifest);
}

}  // namespace myops::system
