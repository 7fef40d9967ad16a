from karatage.challenges.ebay_2025.generator.challenge_files import generate as generate
from karatage.challenges.ebay_2025.submission import check as check
from karatage.challenges.ebay_2025.submission.submission_report import (
    Occurrence as Occurrence,
    SubmissionReport as SubmissionReport,
)
