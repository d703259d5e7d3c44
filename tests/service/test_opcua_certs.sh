#!/bin/bash
# What the folder of keys says of certificates, kind by kind, with the status each is refused
# by; looking makes nothing; changes at the same time are all kept. No rig runs here.
# TIME_LIMIT=120
set -u
dir=${TEST_DIR:?} trapeze=${TRAPEZE:?}
failed=0
state=$dir/state; rm -rf "$state" "$dir/pki"; mkdir -p "$dir/pki"; cd "$dir/pki" || exit 1
unset OPENSSL_CONF TRAPEZE_PASSWORD
opcua() { TRAPEZE_STATE=$state "$trapeze" opcua "$@" < /dev/null; }
ok() { if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2: ${3:-}"; failed=1; fi; }
is() { [ "$1" = "$2" ]; ok $? "$3" "'$1', not '$2'"; }
says() { grep -q -- "$2" <<< "$1"; ok $? "$3" "$1"; }

# ---- looking makes nothing -----------------------------------------------------------
says "$(opcua user list 2>&1)" 'there are no users' 'user list of nothing says so'
says "$(opcua cert show 2>&1)" 'no certificate in .* yet: trapeze opcua cert make' 'cert show of nothing too'
is "$(opcua cert list)" '' 'cert list of nothing is empty'
[ ! -e "$state" ]; ok $? 'none of them made a folder'

# ---- a small authority with a sub-authority ------------------------------------------
usage=keyUsage=critical,digitalSignature,nonRepudiation,keyEncipherment,dataEncipherment
uri=subjectAltName=URI:urn:test:client
key() { [ -e "$1.key" ] || openssl genrsa -out "$1.key" "${2:-2048}" 2> /dev/null; } # making one takes long
key leaf; key small 1024
authority() { # name, issuer ("" for a root)
    key "$1"; mkdir -p "$1"; cp "$1.key" "$1/ca.key"; : > "$1/index"; echo 01 > "$1/serial"; echo 01 > "$1/crlnumber"
    printf '[ca]\ndefault_ca=d\n[d]\ndatabase=%s/index\nserial=%s/serial\ncrlnumber=%s/crlnumber\nnew_certs_dir=%s\ndefault_md=sha256\npolicy=p\ncertificate=%s/ca.pem\nprivate_key=%s/ca.key\ndefault_days=30\ndefault_crl_days=30\nunique_subject=no\n[p]\ncommonName=supplied\n' \
        "$1" "$1" "$1" "$1" "$1" "$1" > "$1/conf"
    if [ -z "$2" ]; then
        openssl req -x509 -key "$1.key" -out "$1/ca.pem" -subj "/CN=$1" -days 30 \
            -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
    else
        openssl req -new -key "$1.key" -out "$1/ca.csr" -subj "/CN=$1"
        printf 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n' > "$1/ext"
        openssl ca -batch -notext -config "$2/conf" -in "$1/ca.csr" -out "$1/ca.pem" -extfile "$1/ext"
    fi
    openssl x509 -in "$1/ca.pem" -outform der -out "$1/ca.der"
} 2> /dev/null
signed() { # name, authority, more options of openssl ca; extensions in $ext
    openssl req -new -key "${with:-leaf}.key" -out "$1.csr" -subj "/CN=$1" 2> /dev/null
    printf '%s\n' basicConstraints=critical,CA:FALSE "${ext-$usage}" $uri > "$1.ext"
    openssl ca -batch -notext -config "$2/conf" -in "$1.csr" -out "$1.pem" -extfile "$1.ext" "${@:3}" 2> /dev/null
    openssl x509 -in "$1.pem" -outform der -out "$1.der"
}
list() { # authority, name, more options
    openssl ca -config "$1/conf" -gencrl -out "$2.pem" "${@:3}" 2> /dev/null
    openssl crl -in "$2.pem" -outform der -out "$2.der"
}
self() { # name, more options
    openssl req -x509 -key "${with:-leaf}.key" -out "$1.pem" -subj "/CN=$1" -days "${days:-20}" \
        -addext basicConstraints=critical,CA:FALSE -addext "${ext-$usage}" -addext $uri "${@:2}" 2> /dev/null
    openssl x509 -in "$1.pem" -outform der -out "$1.der"
}
afresh() { rm -rf "$state"; cp -a made "$state"; } # with a pair of keys, which takes long to make
verdict() { # file, pattern, sentence
    says "$(opcua cert check "./$1.der" 2>&1)" "$2" "$3"
}
trust() { opcua cert trust "./$1.der"; }

opcua cert make > /dev/null; mv "$state" made; afresh
authority root ''; authority sub root
signed member root; signed thief root; signed below sub
openssl ca -config root/conf -revoke thief.pem 2> /dev/null
list root root-list; list sub sub-list

# ---- self-signed ---------------------------------------------------------------------
self plain; days=300 self long
verdict plain 'would be refused: nobody is trusted yet; it is not trusted.*(BadCertificateUntrusted)' 'untrusted'
trust plain > /dev/null; verdict plain 'would be let in$' 'trusted and self-signed: no list of revoked ones is needed'
self stranger; verdict stranger 'it is not trusted: .*(BadCertificateUntrusted)' 'another one'
with=small self small; says "$(trust small)" 'BUT it will be refused all the same: its key has 1024 bits' 'a small key: trust warns'
verdict small 'its key has 1024 bits, 2048 are needed.*(BadCertificatePolicyCheckFailed)' 'a key of 1024 bits'
self old-hash -sha1; says "$(trust old-hash)" 'BUT .*SHA-1' 'SHA-1: trust warns'
verdict old-hash 'it is signed with SHA-1 or weaker.*(BadCertificatePolicyCheckFailed)' 'signed with SHA-1'
ext=basicConstraints=CA:FALSE; openssl req -x509 -key leaf.key -out mute.pem -subj /CN=mute -days 30 -addext $uri 2> /dev/null
unset ext; openssl x509 -in mute.pem -outform der -out mute.der
trust mute > /dev/null; verdict mute 'not made for this use.*(BadCertificateUseNotAllowed)' 'without keyUsage'
ext=keyUsage=critical,keyAgreement self other-use; trust other-use > /dev/null
verdict other-use 'not made for this use.*(BadCertificateUseNotAllowed)' 'made for another use'

# ---- signed by an authority ----------------------------------------------------------
afresh
says "$(trust root/ca)" 'let in once its list of revoked certificates is here' 'an authority without its list: trust says what is missing'
verdict member 'the list of what its issuer root revoked is missing: .*(BadCertificateRevocationUnknown)' 'an authority without its list'
verdict thief 'is missing: .*(BadCertificateRevocationUnknown)' 'a revoked one without the list'
opcua cert crl ./root-list.der > /dev/null
verdict member 'would be let in$' 'with the list'
verdict thief 'its issuer .*has revoked it.*(BadCertificateRevoked)' 'revoked'
signed past root -startdate 20200101000000Z -enddate 20200201000000Z
verdict past 'it has expired, on 2020-02-01.*(BadCertificateTimeInvalid)' 'expired'
signed future root -startdate 20450101000000Z -enddate 20460101000000Z
verdict future 'not valid before 2045-01-01.*(BadCertificateTimeInvalid)' 'not yet valid'
signed weak root -md sha1
verdict weak 'SHA-1 or weaker.*(BadCertificatePolicyCheckFailed)' 'signed by an authority with SHA-1'
ext=keyUsage=critical,keyAgreement signed wrong-use root
verdict wrong-use '(BadCertificateUseNotAllowed)' 'signed, but made for another use'
rm "$state"/opcua/crl/*; list root root-old -crl_lastupdate 20200101000000Z -crl_nextupdate 20200201000000Z
says "$(opcua cert crl ./root-old.der)" 'BUT it is too old' 'an old list: crl warns'
verdict member 'is too old, it was valid until 2020-02-01: .*(BadCertificateRevocationUnknown)' 'an old list'
opcua cert crl ./root-list.der > /dev/null; verdict member 'would be let in$' 'of two lists the later one counts'
rm "$state"/opcua/crl/*
authority forger ''
sed 's|^private_key=.*|private_key=forger/ca.key|' root/conf > forged.conf
openssl ca -config forged.conf -gencrl -out forged.pem 2> /dev/null || {
    # openssl looks whether key and certificate belong together: a certificate of root's name for the forger's key
    openssl req -x509 -key forger/ca.key -out forger/as-root.pem -subj /CN=root -days 30 -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign 2> /dev/null
    sed -i 's|^certificate=.*|certificate=forger/as-root.pem|' forged.conf
    openssl ca -config forged.conf -gencrl -out forged.pem
}
openssl crl -in forged.pem -outform der -out forged.der
opcua cert crl ./forged.der > /dev/null
says "$(opcua cert check ./member.der 2>&1)" 'was signed by somebody else.*(BadCertificateRevocationUnknown)' 'a list somebody else signed does not count'
rm "$state"/opcua/crl/*; opcua cert crl ./root-list.der > /dev/null
[ -e forger/as-root.pem ] || openssl req -x509 -key forger/ca.key -out forger/as-root.pem -subj /CN=root -days 30 -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
sed 's|^certificate=.*|certificate=forger/as-root.pem|; s|^private_key=.*|private_key=forger/ca.key|' root/conf > forged.conf
openssl req -new -key leaf.key -out fake.csr -subj /CN=fake 2> /dev/null
openssl ca -batch -notext -config forged.conf -in fake.csr -out fake.pem -extfile member.ext 2> /dev/null; openssl x509 -in fake.pem -outform der -out fake.der
verdict fake 'would be refused: .*(BadCertificate' 'a certificate that only names the authority'

# ---- two deep ------------------------------------------------------------------------
afresh; trust root/ca > /dev/null; opcua cert crl ./root-list.der > /dev/null
verdict below 'would be refused: .*(BadCertificate' 'depth 2, the authority between is not known'
opcua cert issuer ./sub/ca.der > /dev/null
verdict below 'the list of what its issuer sub revoked is missing: .*(BadCertificateRevocationUnknown)' 'depth 2 without the lower list'
opcua cert crl ./sub-list.der > /dev/null
verdict below 'would be let in$' 'depth 2 with both lists'
rm "$state"/opcua/crl/*; opcua cert crl ./sub-list.der > /dev/null
verdict below 'the list of what its issuer root revoked is missing: .*(BadCertificateIssuerRevocationUnknown)' 'depth 2 without the upper list'
openssl ca -config root/conf -revoke sub/ca.pem 2> /dev/null; list root root-second
opcua cert crl ./root-second.der > /dev/null
verdict below 'would be refused: .*(BadCertificateIssuerRevoked)' 'depth 2, the one between revoked'

# ---- a certificate trusted itself, signed by an authority ----------------------------
afresh; trust member > /dev/null
verdict member 'would be refused: .*(BadCertificateChainIncomplete)' 'trusted itself, its issuer not known'
opcua cert issuer ./root/ca.der > /dev/null
verdict member 'revoked is missing: .*(BadCertificateRevocationUnknown)' 'trusted itself, its issuer without a list'
opcua cert crl ./root-list.der > /dev/null
verdict member 'would be let in$' 'trusted itself, with the list'
trust thief > /dev/null
verdict thief 'would be refused: .*(BadCertificateRevoked)' 'trusted itself, but revoked'

# ---- files that are none -------------------------------------------------------------
afresh; trust plain > /dev/null
head -c 400 plain.der > "$state/opcua/trusted/half.der"
head -c 400 plain.der > "$state/opcua/trusted/abc.der.7.new"; touch -d '2 minutes ago' "$state/opcua/trusted/abc.der.7.new"
{ head -c 420 plain.der; head -c 100 /dev/zero; tail -c +521 plain.der; } > "$state/opcua/trusted/broken.der"
printf junk > "$state/opcua/crl/junk"; mkfifo "$state/opcua/rejected/pipe" "$state/opcua/trusted/pipe"
verdict plain 'would be let in$' 'broken files, pipes and leftovers keep nobody out'
out=$(TRAPEZE_STATE=$state timeout 10 "$trapeze" opcua cert list < /dev/null); is $? 0 'cert list waits for no pipe'
says "$out" 'left out, .*half.der' 'and names what it left out'
! grep -q '\.new' <<< "$out"; ok $? 'but not what was being written' "$out"
opcua cert crl ./root-list.der > /dev/null
[ ! -e "$state/opcua/trusted/abc.der.7.new" ]; ok $? 'an old leftover is removed at the next change'

# ---- the doctor ----------------------------------------------------------------------
doctor() { TRAPEZE_STATE=$state "$trapeze" doctor 2>&1; }
says "$(doctor)" "secret files in $state" 'doctor looks into TRAPEZE_STATE'
says "$(doctor)" '^note *certificates *[0-9] of [0-9]* end within 30 days; \(trusted plain\|crl root\) ends on' 'and warns of what ends within 30 days'
afresh; trust long > /dev/null
says "$(doctor)" '^good *certificates *2, none ends within 30 days' 'but not of what lasts'
afresh; trust past > /dev/null
says "$(doctor)" '^mend *certificates *1 of 2 end within 30 days; trusted past ended on 2020-02-01' 'what has ended is to be mended'

# ---- the one refused last ------------------------------------------------------------
afresh; cp plain.der "$state/opcua/rejected/$(sha256sum plain.der | cut -c1-40).der"
digits=$(sha256sum plain.der | cut -c1-8)
out=$(opcua cert trust LAST 2>&1); is $? 1 'trust LAST without a word of being sure is refused'
says "$out" "say that this is the right one by --fingerprint $digits, or --yes" 'and says how'
says "$out" '^of  *plain' 'and shows whose it is'
is "$(ls "$state/opcua/trusted")" '' 'nothing is trusted by it'
opcua cert trust LAST --fingerprint 00000000 > /dev/null 2>&1; is $? 1 'a wrong fingerprint'
opcua cert trust LAST --fingerprint "${digits:0:7}" > /dev/null 2>&1; is $? 1 'too few digits'
sleep 0.01; cp stranger.der "$state/opcua/rejected/$(sha256sum stranger.der | cut -c1-40).der"
says "$(opcua cert trust LAST 2>&1)" '^1 other certificates were refused' 'others that knocked are told of'
openssl=$(openssl x509 -inform der -in stranger.der -noout -fingerprint -sha256 | sed 's/.*=//')
opcua cert trust LAST --fingerprint "$openssl" > /dev/null; is $? 0 'the fingerprint as openssl prints it'
opcua cert trust "$digits" > /dev/null; is $? 0 'a name of eight digits is a fingerprint'
opcua cert reject "$digits" > /dev/null; is $? 0 'rejected'
verdict plain 'it is not trusted' 'counts'
says "$(opcua cert list)" "^withdrawn *$digits" 'it is kept'
opcua cert trust "$digits" > /dev/null; verdict plain 'would be let in$' 'and can be trusted again'

# ---- users, all at the same time -----------------------------------------------------
for i in 1 2 3 4 5 6 7 8; do
    (TRAPEZE_STATE=$state TRAPEZE_PASSWORD=long-enough-$i "$trapeze" opcua user add "user$i" --role operator > /dev/null) &
done
wait
is "$(opcua user list | wc -l)" 8 'eight users added at once are eight users'
for i in 1 2 3 4 5 6; do (opcua cert trust "./$(echo plain stranger small mute old-hash other-use | cut -d' ' -f$i).der" > /dev/null) & done; wait
is "$(ls "$state/opcua/trusted" | wc -l)" 6 'six certificates trusted at once are six'
out=$(opcua user add new --role operator 2>&1); is $? 1 'no password at the end of the input'
says "$out" 'no password: the input ended' 'is said'
out=$(TRAPEZE_PASSWORD=another-one opcua user add user1 --role engineer 2>&1); is $? 1 'a user who is there already'
says "$out" 'user1 is operator already; a new password: trapeze opcua user passwd user1' 'is refused with the remedy'
hash() { grep '^user1:' "$state/opcua/users"; }
before=$(hash); TRAPEZE_PASSWORD=another-one opcua user passwd user1 > /dev/null; is $? 0 'user passwd'
[ "$before" != "$(hash)" ] && [[ $(hash) == user1:operator:* ]]; ok $? 'changes the password and keeps the role' "$(hash)"
opcua user role user1 --role engineer > /dev/null; [[ $(hash) == user1:engineer:* ]]; ok $? 'user role changes the role' "$(hash)"
opcua user passwd nobody > /dev/null 2>&1; is $? 1 'a password for nobody'
is "$(stat -c %a "$state/opcua/users" "$state/opcua/users.live" | tr '\n' ' ')" '600 600 ' 'both files are for their owner only'
cmp <(head -n -1 "$state/opcua/users.live") "$state/opcua/users"; ok $? 'and say the same'
"$trapeze" opcua user list --state "$state" | grep -q user8; ok $? '--state names the folder'
says "$("$trapeze" opcua cert --help)" 'cert trust LAST' 'cert --help lists its words'
! "$trapeze" opcua cert --help | grep -q 'user add'; ok $? 'and no others'
out=$("$trapeze" opcua user 2>&1); is $? 2 'user without a word is wrong use'
says "$out" 'user passwd NAME' 'and lists them'
out=$("$trapeze" opcua bla 2>&1); is $? 2 'a wrong first word'
says "$out" "'bla' is none of: nodes pubsub cert user" 'names what there is'
exit $failed
