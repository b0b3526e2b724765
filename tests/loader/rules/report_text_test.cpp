#include <gmock/gmock.h>

#include "loader/rules/report.h"
#include "tests/loader/rules/samples.h"

namespace myops::rules {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReportText : public ::testing::Test {
 protected:
  ReportText() {
    report.host = samples::host();
    report.torch = samples::torch();
    report.folders = {"/p"};
    report.plan = make_plan(
        {samples::usable(samples::schema_manifest()), samples::usable(samples::scale_manifest("cpu", {"CPU"})),
         samples::refused(samples::scale_manifest("old", {"Meta"}))},
        {}, {}, {});
  }

  Report report;
};

TEST_F(ReportText, ListsEveryCandidateOnALineWithItsReasonsBelow) {
  EXPECT_EQ(to_text(report, Detail::kList),
            "host   x86_64, A CPU, x86-64-v3, glibc 2.36, no GPU\n"
            "torch  2.15.0, CUDA 13.2, /torch/lib\n"
            "\n"
            "  usable    cpu           0.1.0  CPU                  /p/libcpu.so\n"
            "  usable    myops_schema  0.1.0  defines 2 operators  /p/libmyops_schema.so\n"
            "  rejected  old           0.1.0  Meta                 /p/libold.so\n"
            "        torch-version-mismatch: built for torch 2.11.0, this is 2.15.0; "
            "rebuild it for torch 2.15 or install that torch\n");
}

TEST_F(ReportText, NamesTheFirstOfManyForeignFilesAndCountsTheOthers) {
  std::vector<Verdict> verdicts;
  for (int number = 0; number < 8; ++number) {
    Verdict verdict;
    verdict.kind = VerdictKind::kForeign;
    verdict.name = "theirs" + std::to_string(number);
    verdict.file.path = "/p/lib" + verdict.name + ".so";
    verdicts.push_back(verdict);
  }
  report.plan = make_plan(verdicts, {}, {}, {});
  EXPECT_THAT(to_text(report, Detail::kPlan),
              AllOf(HasSubstr("/p/libtheirs4.so\n… and 3 more without a manifest (`myops list` names all)\n"),
                    Not(HasSubstr("theirs5"))));
  EXPECT_THAT(to_text(report, Detail::kList), HasSubstr("/p/libtheirs7.so"));
}

TEST_F(ReportText, ShowsThePlanInOrderAndWhyEachOtherFileIsNotInIt) {
  EXPECT_EQ(
      to_text(report, Detail::kPlan),
      "host   x86_64, A CPU, x86-64-v3, glibc 2.36, no GPU\n"
      "torch  2.15.0, CUDA 13.2, /torch/lib\n"
      "\n"
      "to load, in this order:\n"
      "  1  myops_schema  0.1.0  defines 2 operators  /p/libmyops_schema.so\n"
      "  2  cpu           0.1.0  CPU                  /p/libcpu.so\n"
      "\n"
      "not loaded:\n"
      "  rejected  old  0.1.0  Meta  /p/libold.so\n"
      "        torch-version-mismatch: built for torch 2.11.0, this is 2.15.0; "
      "rebuild it for torch 2.15 or install that torch\n"
      "\n"
      "note: nothing computes myops::bump_, unless Python gives kernels: no library with theirs for a device is taken\n"
      "note: gradients would be missing for myops::scale: no library with their Autograd kernels is taken\n"
      "note: torch.compile, export and fake tensors would refuse myops::scale, unless Python gives a fake "
      "implementation: no library with their Meta kernels is taken (refused: /p/libold.so "
      "(torch-version-mismatch))\n");
}

TEST_F(ReportText, ShowsWhatALoadDid) {
  report.applied = true;
  report.torch->mapped = true;
  report.outcomes = {{report.plan.order[0], false, true, std::nullopt},
                     {report.plan.order[1], false, false, Reason{Code::kOpenFailed, "", "", "no room", ""}}};
  const std::string text = to_text(report, Detail::kLoad);
  EXPECT_THAT(text, HasSubstr("/torch/lib (in this process)\n"));
  EXPECT_THAT(text, HasSubstr("\nloaded, in this order:\n"
                              "  already  myops_schema  0.1.0  defines 2 operators  /p/libmyops_schema.so\n"
                              "  failed   cpu           0.1.0  CPU                  /p/libcpu.so\n"
                              "        open-failed: it could not be opened: no room\n"));
}

TEST_F(ReportText, SaysHowMuchWasVerified) {
  report.applied = true;
  report.outcomes = {{report.plan.order[0], false, true, std::nullopt},
                     {report.plan.order[1], true, false, std::nullopt}};
  report.proof = {2, 1, true};
  const std::string line = "\nverified: the dispatcher holds the 2 operators and 1 kernels that were promised\n";
  EXPECT_THAT(to_text(report, Detail::kLoad), HasSubstr(line));
  report.proof = {2, 0, false};
  EXPECT_THAT(to_text(report, Detail::kLoad),
              HasSubstr("the 2 operators and 0 kernels that were promised; libraries that were replaced on disk"));
  report.findings = {{"/p/libcpu.so", {Code::kKernelNotRegistered, "myops::scale on CPU", "", "nothing", ""}}};
  EXPECT_THAT(to_text(report, Detail::kLoad), Not(HasSubstr("verified")));
}

TEST_F(ReportText, ShowsFindingsBelowTheirFile) {
  report.applied = true;
  report.outcomes = {{report.plan.order[0], true, false, std::nullopt},
                     {report.plan.order[1], true, false, std::nullopt}};
  report.findings = {{"/p/libcpu.so", {Code::kKernelNotRegistered, "myops::scale on CPU", "here", "nothing", ""}}};
  EXPECT_THAT(to_text(report, Detail::kLoad), HasSubstr("/p/libcpu.so\n"
                                                        "        kernel-not-registered: myops::scale on CPU is not "
                                                        "what was promised: expected here, found nothing\n"));
}

TEST_F(ReportText, SaysThatNothingWasOpenedWhereSomethingRequiredIsMissing) {
  report.applied = true;
  report.plan.missing = {{Code::kKeyNotServed, "CUDA", "", "no library found has kernels on it", ""}};
  EXPECT_THAT(to_text(report, Detail::kLoad),
              AllOf(HasSubstr("\nplanned, but nothing was opened:\n  not tried  myops_schema"),
                    HasSubstr("\nrequired, and missing:\n  key-not-served: nothing serves CUDA: no library found has "
                              "kernels on it\n")));
}

TEST_F(ReportText, SaysWhatIsHereAlreadyWhereNothingMoreWasOpened) {
  report.applied = true;
  report.plan.already = {report.plan.order[0]};
  report.plan.missing = {{Code::kKeyNotServed, "CUDA", "", "no library found has kernels on it", ""}};
  EXPECT_THAT(to_text(report, Detail::kLoad),
              AllOf(HasSubstr("\nplanned, but nothing more was opened:\n  already    myops_schema"),
                    HasSubstr("\n  not tried  cpu")));
}

TEST_F(ReportText, ShowsFiveOfManyReasonsOfOneCode) {
  Verdict& old = report.plan.files.back();
  old.reasons.clear();
  for (int i = 0; i < 42; ++i)
    old.reasons.push_back({Code::kSymbolMissing, std::string(1, 's').append(std::to_string(i)), "", "", ""});
  old.reasons.push_back({Code::kWorldWritable, "/p", "", "", ""});
  const std::string text = to_text(report, Detail::kList);
  EXPECT_THAT(text, AllOf(HasSubstr("needs s4, not defined\n        … and 37 more symbol-missing (--json lists all)\n"
                                    "        world-writable: /p can be written by anyone\n"),
                          Not(HasSubstr("s5"))));
}

TEST_F(ReportText, ShowsExactlyFiveWithoutARemainder) {
  Verdict& old = report.plan.files.back();
  old.reasons.assign(5, {Code::kSymbolMissing, "s", "", "", ""});
  EXPECT_THAT(to_text(report, Detail::kList), Not(HasSubstr("more symbol-missing")));
}

TEST_F(ReportText, SaysOnceWhatManyFilesShare) {
  for (Verdict& file : report.plan.files) file.notes = {"shared", "shared"};
  report.plan.files[1].notes.push_back("of one");
  for (const Detail detail : {Detail::kList, Detail::kPlan}) {
    const std::string text = to_text(report, detail);
    EXPECT_THAT(text, AllOf(HasSubstr("        note: shared (3 files)\n"), HasSubstr("        note: of one\n")));
    EXPECT_EQ(text.find("note: shared"), text.rfind("note: shared"));
  }
}

TEST_F(ReportText, ListTellsTheNotesOnTorch) {
  report.notes = {"the torch of python3 cannot be used"};
  EXPECT_THAT(to_text(report, Detail::kList), HasSubstr("\nnote: the torch of python3 cannot be used\n"));
}

// Case 15.
TEST_F(ReportText, ListsTheFoldersWhereNothingWasFound) {
  report.plan = {};
  report.folders = {"/a", "/b"};
  report.folder_notes = {{Code::kUnreadable, "/b", "", "Permission denied", ""}};
  EXPECT_THAT(
      to_text(report, Detail::kPlan),
      HasSubstr("\nno library found; looked in:\n  /a\n  /b\nnote: unreadable: /b cannot be read: Permission denied\n"
                "\nnothing to load\n"));
  report.folders.clear();
  EXPECT_THAT(to_text(report, Detail::kList), HasSubstr("no library found; no folder was searched\n"));
  EXPECT_THAT(to_text(report, Detail::kLoad), HasSubstr("nothing was loaded\n"));
}

TEST_F(ReportText, DescribesTheMachine) {
  report.host = samples::gpu_host();
  report.torch.reset();
  EXPECT_THAT(to_text(report, Detail::kList),
              StartsWith("host   x86_64, A CPU, x86-64-v3, glibc 2.36, H100 (9.0), driver 580.65.06\n"
                         "torch  none found\n"));
  report.host.gpus = {{"", ""}};
  report.torch = samples::torch();
  report.torch->cuda = "";
  EXPECT_THAT(to_text(report, Detail::kList), AllOf(HasSubstr(", GPU, driver"), HasSubstr("torch  2.15.0, no CUDA, ")));
}

TEST_F(ReportText, SaysThatTheResultIsTainted) {
  report.plan.tainted = true;
  EXPECT_THAT(to_text(report, Detail::kPlan), HasSubstr("tainted: results cannot be vouched for, see the notes\n"));
}

TEST_F(ReportText, SendsNoControlCharactersToTheTerminal) {
  Verdict& old = report.plan.files.back();
  old.file.path = "/p/\x1b[2J\xFF.so";
  old.name = "a\nb";
  old.notes = {"\x07"};
  report.plan.notes = {"\x1b]0;title\x07"};
  report.folder_notes = {{Code::kUnreadable, "\x1b", "", "", ""}};
  report.host.cpu_name = "\x1b";
  for (const Detail detail : {Detail::kList, Detail::kPlan, Detail::kLoad}) {
    const std::string text = to_text(report, detail);
    EXPECT_THAT(text,
                AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\x07")), Not(HasSubstr("\xFF")), HasSubstr("a\\x0ab")));
  }
}

}  // namespace
}  // namespace myops::rules
