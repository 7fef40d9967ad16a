from karatage.profiles.loading import get_profile as get_profile, profile_names as profile_names
from karatage.profiles.profile import DETECT as DETECT, Profile as Profile
