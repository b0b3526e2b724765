// From what was measured and what is known of the file to its manifest. Pure.
#pragma once

#include <optional>

#include "loader/elf/elf_facts.h"
#include "loader/elf/fatbinary.h"
#include "loader/rules/manifest.h"
#include "loader/rules/world.h"
#include "loader/system/stamp.h"
#include "loader/system/stamp_registrations.h"

namespace myops::system {

// What a manifest is made of. `base` is the manifest that its release follows: of the schema library, or of `from`.
struct ManifestSources {
  const StampOptions& options;
  const elf::ElfFacts& elf;
  const elf::DeviceCode& device_code;
  const Registrations& registrations;
  const rules::TorchFacts& torch;
  const std::optional<rules::Manifest>& base;
};

// Error: bad-option, where no namespace is given and it registers in several or none, or a given value contradicts the
// file.
Result<rules::Manifest> make_manifest(const ManifestSources& sources);

// "<version>+torch<minor>+<hash of the schemas>": with version and hash of the release of `base` where there is one.
std::string release_text(const std::string& version, const std::string& torch_minor,
                         const std::vector<std::string>& schemas, const std::optional<rules::Manifest>& base);

// "stable>=2.15" where all it imports of libtorch are functions of torch's C shim, which no release removes or changes;
// "exact" where it imports C++ symbols or nothing of torch's.
std::string torch_abi(const elf::ElfFacts& elf, const std::string& torch_minor);

}  // namespace myops::system
