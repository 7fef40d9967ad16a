from karatage.profiles.loading import RENAMED as RENAMED, get_profile as get_profile, profile_names as profile_names
from karatage.profiles.profile import DETECT as DETECT, Profile as Profile
from karatage.profiles.profile_options import ProfileKeywords as ProfileKeywords, ProfileOptions as ProfileOptions
