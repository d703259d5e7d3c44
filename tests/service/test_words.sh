#!/bin/bash
# What the command line says to a mistake that everybody makes once, and what it does not take
# for one.
set -u
dir=${TEST_DIR:?} trapeze=${TRAPEZE:?}
failed=0
rm -rf "$dir/words"; mkdir -p "$dir/words"; cd "$dir/words" || exit 1
ok() { if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2: ${3:-}"; failed=1; fi; }
is() { [ "$1" = "$2" ]; ok $? "$3" "'$1', not '$2'"; }
says() { grep -q -- "$2" <<< "$1"; ok $? "$3" "$1"; }

cat > good.yaml <<'E'
model: good
bodies:
  rod: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
actuators:
  drive: {type: torque, joint: hinge, unit: N.m, range: [-1, 1], safe: 0}
sensors:
  x: {type: joint-angle, joint: hinge}
  rod: {type: position, body: rod}
  t: {type: joint-angle, joint: hinge, unit: deg}
E
change() { sed "$1" good.yaml > changed.yaml; "$trapeze" check changed.yaml 2>&1; }
says "$(change 's/revolute/slider/')" "no joint of type 'slider'; did you mean 'prismatic'" 'a slider is prismatic'
says "$(change 's/x: {type: joint-angle/x: {type: encoder/')" "'encoder'; did you mean 'joint-angle'" 'an encoder is a joint-angle'
says "$(change 's/unit: deg/unit: Deg/')" "'Deg' is no unit; did you mean 'deg'" 'capitals of a unit in unit:'
says "$(change 's/mass: 1,/mass: 1 KG,/')" "'KG' is no unit; did you mean 'kg'" 'capitals of a unit behind a number'

# ---- rigs and models -----------------------------------------------------------------
rig() { printf 'rig: r\nmodel: good.yaml\n%s\n' "$1" > rig.yaml; }
rig 'step: 50 us'; out=$("$trapeze" check rig.yaml 2>&1); is $? 0 'step: 50 us is the smallest step, not below it'
says "$out" 'rig r of the model good.yaml: step 0.05 ms' 'check takes a rig'
says "$out" '1 bodies, 1 joints' 'and shows its model'
rig 'step: 49 us'; "$trapeze" check rig.yaml > /dev/null 2>&1; is $? 1 'step: 49 us is refused'
rig $'step: 1 ms\ncommands: {timeout: 100}'; says "$("$trapeze" check rig.yaml 2>&1)" 'note: timeout: 100 s go by .* 100 ms was meant' 'a timeout of 100 s is noted'
rig $'step: 1 ms\ncommands: {timeout: 4}'; ! "$trapeze" check rig.yaml 2>&1 | grep -q note:; ok $? 'one of 4 s is not'
rig $'step: 1 ms\nservices: {opcua: {adress: 0.0.0.0}}'
for verb in check admit run; do
    out=$(timeout 20 "$trapeze" $verb rig.yaml 2>&1); is $? 1 "$verb refuses a rig whose service has a wrong key"
    says "$out" 'rig.yaml:4:.*adress: unknown key; known are port, address' "$verb names it"
done
out=$(timeout 20 "$trapeze" run good.yaml 2>&1); is $? 1 'run of a model'
is "$out" 'good.yaml: error: this is a model, a rig file is wanted: one that names it, as model: good.yaml; sim and check take models' 'is one sentence'
rig 'step: 1 ms'; out=$("$trapeze" sim rig.yaml 2>&1); is $? 1 'sim of a rig'
is "$out" 'rig.yaml: error: this is a rig, a model file is wanted: its own is good.yaml; run, admit, doctor and check take rigs' 'is one sentence'

# ---- the table of a run --------------------------------------------------------------
"$trapeze" sim good.yaml --until 0.01 --bodies --reactions > /dev/null; is $? 0 'sim writes a table'
is "$(head -1 good.csv | tr , '\n' | sort | uniq -d)" '' 'in which each column has its own name'
says "$(head -1 good.csv)" '^t,x,rod.x,rod.y,rod.z,sensor:t,body:rod.x,' 'told apart by what it is the name of'
"$trapeze" sim good.yaml --until 0.01 > /dev/null; is $? 0 'its own table it writes again'
echo mine > mine.csv
out=$("$trapeze" sim good.yaml --until 0.01 --out mine.csv 2>&1); is $? 1 'a file of somebody else it does not'
says "$out" 'mine.csv is there already and not from a run of sim' 'and says so'
is "$(cat mine.csv)" mine 'it is as it was'
"$trapeze" sim good.yaml --until 0.01 --out mine.csv --force > /dev/null; is $? 0 'but for --force'
out=$("$trapeze" sim good.yaml --until 100 --out - 2> err | head -1); is "${PIPESTATUS[0]}" 0 'a reader that leaves'
! grep -q 'Broken pipe' err; ok $? 'is no failure' "$(cat err)"
"$trapeze" sim good.yaml --until 1 --out - > /dev/full 2> err; is $? 1 'a full disk is one'

# ---- URDF ----------------------------------------------------------------------------
cat > r.urdf <<'E'
<?xml version='0.0'?>
<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1e+16" upper="1e+16" effort="1" velocity="1"/></joint></robot>
E
out=$("$trapeze" import r.urdf -o r.yaml 2>&1); is $? 0 'a robot with XML version 0.0 and huge limits is read'
says "$out" "1:1: warning: the XML version is '0.0', there are 1.0 and 1.1" 'with a warning'
says "$out" "joint 'j': a limit of 1e+12 or more is no limit; it gets no end stops" 'and the limits are none'
sed -i 's/1e+16/1.0x/' r.urdf; "$trapeze" import r.urdf -o r.yaml > /dev/null 2>&1; is $? 1 'what is no number is still refused'

# ---- help ----------------------------------------------------------------------------
out=$("$trapeze" opcua --help); says "$out" 'cert trust LAST|NAME|FILE' 'opcua --help lists the words'
exit $failed
